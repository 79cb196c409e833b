import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createCounter } from '@app/metrics';
import { createLogger } from '@app/observability';

const logger = createLogger('http');
const stalled = createCounter(
  'platform_responses_stalled_total',
  'Responses whose client accepted too few bytes for too long',
);

/**
 * A client that accepts fewer bytes within the time limit does not read, or reads only to keep the connection open.
 */
const MIN_PROGRESS_BYTES = 16_384;
const CHECKS_PER_LIMIT = 4;

/** Parts of a socket that its type does not declare. */
interface Handle {
  readonly bytesWritten: number;
  /** Bytes that the system has not accepted yet. */
  readonly writeQueueSize: number;
}

interface Progress {
  readonly accepted: number;
  readonly since: number;
}

/**
 * Closes the connections of clients that do not read their response, because an unread response occupies memory and the
 * budget of files. The idle timeout of the server does not suffice, because bytes that the client sends count as
 * traffic. Streams and WebSockets have their own limits.
 */
export class StalledResponses {
  private readonly progress = new WeakMap<Duplex, Progress>();

  constructor(private readonly limitMs: number) {}

  /** Checks the connections from now on until the returned function is called. */
  watch(connections: ReadonlyMap<Duplex, { readonly pending: ReadonlySet<ServerResponse> }>): () => void {
    const check = (): void => {
      for (const [socket, { pending }] of connections) this.check(socket, pending);
    };
    const timer = setInterval(check, this.limitMs / CHECKS_PER_LIMIT).unref();
    return () => clearInterval(timer);
  }

  private check(socket: Duplex, pending: ReadonlySet<ServerResponse>): void {
    const [response] = pending;
    const handle = Reflect.get(socket, '_handle') as Handle | null | undefined;
    const isUnsent = response !== undefined && (socket.writableLength > 0 || (handle?.writeQueueSize ?? 0) > 0);
    if (!isUnsent || !handle || isStream(response)) {
      this.progress.delete(socket);
      return;
    }
    const accepted = handle.bytesWritten - handle.writeQueueSize;
    const before = this.progress.get(socket);
    const now = performance.now();
    if (before === undefined || accepted - before.accepted >= MIN_PROGRESS_BYTES) {
      this.progress.set(socket, { accepted, since: now });
    } else if (now - before.since >= this.limitMs) {
      stalled.inc();
      logger.info({ stalled_ms: this.limitMs, path: response.req.url?.split('?')[0] }, 'stalled client disconnected');
      socket.destroy();
    }
  }
}

function isStream(response: ServerResponse): boolean {
  return response.statusCode === 101 || String(response.getHeader('content-type')).startsWith('text/event-stream');
}
