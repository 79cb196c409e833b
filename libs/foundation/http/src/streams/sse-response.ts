import { createCounter } from '@app/metrics';
import { createLogger } from '@app/observability';
import type { ServerResponse } from 'node:http';
import { onResponseClosed } from '../wire/on-response-closed.js';

const logger = createLogger('http');
export const stalledReaders = createCounter(
  'platform_stream_readers_stalled_total',
  'Stream readers that were disconnected because they accepted no bytes',
);

/**
 * A response as a stream of server-sent events. Sends its headers at once and asks proxies not to buffer. It is a
 * `StreamSink` of libs/backbone/events, which documents the methods.
 */
export class SseResponse {
  /** @param keyEnd aborted when the client's key is revoked or expires, which destroys the connection */
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
      // Without the charset some readers assume ISO 8859-1, in which the byte 0x85 of a character ends a line.
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    // Ignored, because a broken connection emits `close` as well.
    response.on('error', () => undefined);
    // The response to HEAD has no body.
    if (response.req.method === 'HEAD') response.end();
  }

  /** A text would be queued in a buffer of several times its length. */
  write(bytes: Uint8Array | string, onSent?: () => void): void {
    if (this.gone) onSent?.();
    else this.response.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, onSent);
  }

  get queuedBytes(): number {
    return this.response.writableLength;
  }

  /** Uses the timer of the socket, because only this timer observes the progress of the current write. */
  closeWhenStalled(afterMs: number): void {
    this.response.setTimeout(afterMs, () => {
      const { queuedBytes } = this;
      if (queuedBytes === 0) return;
      stalledReaders.inc();
      logger.info({ stalled_ms: afterMs, queued_bytes: queuedBytes }, 'stalled reader disconnected');
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
      const stop = onResponseClosed(this.response, () => {
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
    onResponseClosed(this.response, listener);
  }

  private get gone(): boolean {
    const { destroyed, writableEnded, req } = this.response;
    return destroyed || writableEnded || req.socket.destroyed;
  }
}
