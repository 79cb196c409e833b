import { createParser } from 'eventsource-parser';
import { errorCodeOf, isTransient } from './error-code.js';
import { backoff, pause } from './retry.js';
import { DEFAULT_RETRIES } from './retrying-fetch.js';

export interface StreamedEvent {
  /** `{execution_id}_{counter}_{unix_micros}`; absent for frames that are not in the event log (`connected`, …). */
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface StreamOptions {
  /** The API that serves the stream, without a trailing slash. */
  readonly baseUrl: string;
  /** The whole Authorization header: `Bearer <key>` or `UserKey <key>`. */
  readonly authorization: string;
  /** Continue after this event. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
}

/** A response that a retry does not change: the execution does not exist, or the key may not read it. */
export class StreamRefused extends Error {
  constructor(
    readonly status: number,
    /** The `X-Error-Code`; `null` where the response has none. */
    readonly code: string | null,
    body: string,
  ) {
    super(`The event stream was refused with ${status}: ${body}`);
    this.name = 'StreamRefused';
  }
}

/** The frames at the start of each connection, before any event of the log. They have no id. */
const OPENING: ReadonlySet<string> = new Set(['connected', 'message', 'history_complete']);

/**
 * The events of an execution, until it is done. A broken connection is reopened after the last received event, so the
 * caller receives each event once and in order, including the opening with the stored messages. If the server no longer
 * has some events, it sends a `gap_detected` event instead.
 */
export async function* streamEvents(executionId: string, options: StreamOptions): AsyncGenerator<StreamedEvent, void> {
  let lastEventId = options.lastEventId;
  const opening = new OpeningFilter();
  for (let failures = 0; ;) {
    let done = false;
    opening.begin();
    try {
      for await (const event of openStream(executionId, options, lastEventId)) {
        failures = 0;
        lastEventId = event.id ?? lastEventId;
        // A worker may publish a `done` too; the server closes the connection after its own.
        done = event.event === 'done';
        if (!opening.isRepeated(event)) yield event;
      }
    } catch (error) {
      if (error instanceof StreamRefused || options.signal?.aborted === true) throw error;
    }
    if (done) return;
    failures += 1;
    await pause(backoff(failures, DEFAULT_RETRIES), options.signal);
  }
}

/** Recognizes frames of an opening that the caller has received on an earlier connection, even if that broke within them. */
class OpeningFilter {
  private position = 0;
  private deliveredCount = 0;

  /** To be called for each new connection. */
  begin(): void {
    this.position = 0;
  }

  isRepeated({ id, event }: StreamedEvent): boolean {
    if (id !== undefined || !OPENING.has(event)) return false;
    this.position += 1;
    if (this.position <= this.deliveredCount) return true;
    this.deliveredCount = event === 'history_complete' ? Infinity : this.position;
    return false;
  }
}

async function* openStream(
  executionId: string,
  options: StreamOptions,
  lastEventId?: string,
): AsyncGenerator<StreamedEvent, void> {
  const url = `${options.baseUrl}/api/v1/executions/${encodeURIComponent(executionId)}/stream`;
  const response = await fetch(url, {
    headers: {
      Accept: 'text/event-stream',
      Authorization: options.authorization,
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
    },
    signal: options.signal ?? null,
  });
  if (!response.ok || response.body === null) await throwRefusal(response);
  const received: StreamedEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) =>
      received.push({ id, event: event ?? 'message', data: JSON.parse(data) as Record<string, unknown> }),
  });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
    yield* received.splice(0);
  }
}

/** Throws a StreamRefused if a retry is useless, otherwise an ordinary error. */
async function throwRefusal(response: Response): Promise<never> {
  const [code, body] = [errorCodeOf(response), await response.text()];
  // Reading is idempotent, so 5xx responses that other requests do not retry are retried here.
  if (response.status >= 500 || isTransient(response.status, code)) {
    throw new Error(`The event stream responded with ${response.status}`);
  }
  throw new StreamRefused(response.status, code, body);
}
