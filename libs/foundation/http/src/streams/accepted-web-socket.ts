import { createLogger } from '@app/observability';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { stalledReaders } from './sse-response.js';

/** Time within which the other side must respond to a close. */
const CLOSE_LIMIT_MS = 1000;
/** Maximum number of messages (which are ignored) and pings of a client between two calls of `keepAlive`. */
const MAX_RECEIVED = 100;

const KEY_ENDED = 1008;
const NORMAL = 1000;
const RECONNECT = 1012;

const logger = createLogger('http');

/** An accepted WebSocket to which only the server sends messages. */
export class AcceptedWebSocket {
  private unsent = 0;
  private received = 0;
  private waiting: ((isEmpty: boolean) => void)[] = [];

  /** @param keyEnd aborted when the client's key is revoked or expires, which closes the connection */
  constructor(
    private readonly webSocket: WebSocket,
    private readonly socket: Socket,
    keyEnd: AbortSignal,
  ) {
    webSocket.on('error', () => undefined);
    webSocket.on('close', () => this.settle(false));
    webSocket.on('message', () => this.countReceived());
    webSocket.on('ping', (data) => {
      this.countReceived();
      // Not while bytes are queued: the pongs to a client that does not read would accumulate.
      if (this.queuedBytes === 0 && !this.gone) webSocket.pong(data);
    });
    const end = (): void => this.close(KEY_ENDED, 'The key was revoked or has expired');
    if (keyEnd.aborted) end();
    else keyEnd.addEventListener('abort', end, { once: true });
  }

  /** Bytes that are queued and not yet sent. */
  get queuedBytes(): number {
    return this.webSocket.bufferedAmount;
  }

  /** Queues a message; ignored after the connection began to close. Calls `onSent` when it is no longer queued. */
  send(text: string, onSent?: () => void): void {
    if (this.gone) return onSent?.();
    this.unsent += 1;
    this.webSocket.send(text, () => {
      this.unsent -= 1;
      onSent?.();
      if (this.unsent === 0) this.settle(true);
    });
  }

  /**
   * Sends a ping. Resets the count of received messages and pings (see `MAX_RECEIVED`) if the client reads. Without the
   * limit, a client that does not read could keep the connection open, because bytes that it sends reset the timer of
   * the socket.
   */
  keepAlive(): void {
    if (this.gone) return;
    if (this.queuedBytes === 0) this.received = 0;
    this.webSocket.ping();
  }

  /** Uses the timer of the socket, because only this timer observes the progress of the current write. */
  closeWhenStalled(afterMs: number): void {
    this.socket.setTimeout(afterMs).on('timeout', () => {
      const { queuedBytes } = this;
      if (queuedBytes === 0) return;
      stalledReaders.inc();
      logger.info({ stalled_ms: afterMs, queued_bytes: queuedBytes }, 'stalled reader disconnected');
      this.destroy();
    });
  }

  /** Resolves with true once the queue is empty, with false if the connection closed. */
  drained(): Promise<boolean> {
    if (this.gone) return Promise.resolve(false);
    if (this.unsent === 0) return Promise.resolve(true);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Closes after the queue is sent, because no event follows. */
  complete(reason: string): void {
    this.close(NORMAL, reason);
  }

  /** Closes after the queue is sent; the client should connect again. */
  askToReconnect(reason: string): void {
    this.close(RECONNECT, reason);
  }

  destroy(): void {
    this.webSocket.terminate();
  }

  /** Calls the listener once when the connection closes for any reason; immediately if it is closed already. */
  onClose(listener: () => void): void {
    if (this.webSocket.readyState === WebSocket.CLOSED) listener();
    else this.webSocket.once('close', listener);
  }

  private countReceived(): void {
    this.received += 1;
    if (this.received > MAX_RECEIVED) this.close(KEY_ENDED, 'This connection accepts no messages');
  }

  private settle(isEmpty: boolean): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve(isEmpty && !this.gone);
  }

  /** Sends the queue first. Destroys the connection if the client does not respond. */
  private close(code: number, reason: string): void {
    if (this.gone) return;
    this.webSocket.close(code, reason);
    const limit = setTimeout(() => this.destroy(), CLOSE_LIMIT_MS);
    this.webSocket.once('close', () => clearTimeout(limit));
  }

  private get gone(): boolean {
    return this.webSocket.readyState !== WebSocket.OPEN;
  }
}
