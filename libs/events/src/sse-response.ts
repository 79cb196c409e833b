import { createLogger } from '@app/observability';
import type { ServerResponse } from 'node:http';
import { onceGone } from '@app/kernel';
import type { StreamSink } from './stream-sink.js';

const logger = createLogger('events');

/** One client's answer as a stream of server-sent events. Headers leave at once; nothing is buffered on the way. */
export class SseResponse implements StreamSink {
  /** `keyEnd`: aborted when the client's key is revoked or expires, which breaks the stream off. */
  constructor(
    private readonly response: ServerResponse,
    keyEnd: AbortSignal,
  ) {
    if (keyEnd.aborted) {
      response.destroy();
      return;
    }
    keyEnd.addEventListener('abort', () => response.destroy(), { once: true });
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    // A broken connection shows itself as `close`.
    response.on('error', () => undefined);
    // Nothing is sent in answer to HEAD, so there is nothing to wait for either.
    if (response.req.method === 'HEAD') response.end();
  }

  write(bytes: Uint8Array | string): void {
    if (!this.gone) this.response.write(bytes);
  }

  get queuedBytes(): number {
    return this.response.writableLength;
  }

  /** The socket's own timer knows what a queue's length does not tell: how far the write that is under way has come. */
  closeWhenStalled(afterMs: number): void {
    this.response.setTimeout(afterMs, () => {
      const { queuedBytes } = this;
      if (queuedBytes === 0) return;
      logger.info({ stalled_ms: afterMs, queued_bytes: queuedBytes }, 'reader cut off: it takes nothing any more');
      this.destroy();
    });
  }

  drained(): Promise<boolean> {
    if (this.gone) return Promise.resolve(false);
    if (!this.response.writableNeedDrain) return Promise.resolve(true);
    return new Promise((resolve) => {
      const onDrain = (): void => {
        stop();
        resolve(true);
      };
      const stop = onceGone(this.response, () => {
        this.response.off('drain', onDrain);
        resolve(false);
      });
      this.response.once('drain', onDrain);
    });
  }

  end(): void {
    if (!this.gone) this.response.end();
  }

  destroy(): void {
    this.response.destroy();
  }

  onClose(listener: () => void): void {
    onceGone(this.response, listener);
  }

  private get gone(): boolean {
    const { destroyed, writableEnded, req } = this.response;
    return destroyed || writableEnded || req.socket.destroyed;
  }
}
