import { createLogger } from '@app/observability';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { stalledReaders } from './sse-response.js';

/** Time that the other side has to answer a close. */
const CLOSE_LIMIT_MS = 1000;
/** Messages, which a stream ignores, and pings of a client between two comments of the stream. */
const MAX_RECEIVED = 100;

const KEY_ENDED = 1008;
const NORMAL = 1000;
const RECONNECT = 1012;

const logger = createLogger('http');

/**
 * A WebSocket as a stream of events: each frame of the stream becomes a message `{"id","event","data"}`. It is a `StreamSink`
 * of libs/events, which documents the methods.
 */
export class WebSocketSink {
  private unsent = 0;
  private lastEvent = '';
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
      // A client that does not read would make the answers pile up.
      if (this.queuedBytes === 0 && !this.gone) webSocket.pong(data);
    });
    const end = (): void => this.close(KEY_ENDED, 'The key was revoked or has expired');
    if (keyEnd.aborted) end();
    else keyEnd.addEventListener('abort', end, { once: true });
  }

  write(bytes: Uint8Array | string): void {
    if (this.gone) return;
    for (const { text, event } of messagesOf(bytes)) {
      if (text === undefined) this.keepAlive();
      else this.send(text);
      if (event !== undefined) this.lastEvent = event;
    }
  }

  get queuedBytes(): number {
    return this.webSocket.bufferedAmount;
  }

  /** Uses the timer of the socket: only it observes the progress of the write that is under way. */
  closeWhenStalled(afterMs: number): void {
    this.socket.setTimeout(afterMs).on('timeout', () => {
      const { queuedBytes } = this;
      if (queuedBytes === 0) return;
      stalledReaders.inc();
      logger.info({ stalled_ms: afterMs, queued_bytes: queuedBytes }, 'stalled reader disconnected');
      this.destroy();
    });
  }

  drained(): Promise<boolean> {
    if (this.gone) return Promise.resolve(false);
    if (this.unsent === 0) return Promise.resolve(true);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** A client whose stream did not end with `done` shall connect again. */
  end(): void {
    if (this.lastEvent === 'done') this.close(NORMAL, 'done');
    else this.close(RECONNECT, 'Connect again, with the last event id');
  }

  destroy(): void {
    this.webSocket.terminate();
  }

  onClose(listener: () => void): void {
    if (this.webSocket.readyState === WebSocket.CLOSED) listener();
    else this.webSocket.once('close', listener);
  }

  private countReceived(): void {
    this.received += 1;
    if (this.received > MAX_RECEIVED) this.close(KEY_ENDED, 'A stream takes no messages');
  }

  /** A client that pings at the usual intervals may stay, unless it no longer reads: what it sends resets the timer. */
  private keepAlive(): void {
    if (this.queuedBytes === 0) this.received = 0;
    this.webSocket.ping();
  }

  private send(text: string): void {
    this.unsent += 1;
    this.webSocket.send(text, () => {
      this.unsent -= 1;
      if (this.unsent === 0) this.settle(true);
    });
  }

  private settle(isEmpty: boolean): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve(isEmpty && !this.gone);
  }

  /** Sends the queue first. A client that does not answer would keep the connection. */
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

interface Message {
  /** Undefined for a comment of the stream, which only keeps the connection in use. */
  readonly text: string | undefined;
  readonly event: string | undefined;
}

/** The messages of bytes that several readers share are made once. */
const encoded = new WeakMap<Uint8Array, readonly Message[]>();

function messagesOf(bytes: Uint8Array | string): readonly Message[] {
  if (typeof bytes === 'string') return encode(bytes);
  const known = encoded.get(bytes) ?? encode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  encoded.set(bytes, known);
  return known;
}

/** Neither an id nor a type nor the data of a frame contains a line break. */
function encode(frames: string): Message[] {
  return frames
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      if (frame.startsWith(':')) return { text: undefined, event: undefined };
      const [id, event = '', data = 'null'] = ['id: ', 'event: ', 'data: '].map((name) => fieldOf(frame, name));
      const text = `{"id":${JSON.stringify(id ?? null)},"event":${JSON.stringify(event)},"data":${data}}`;
      return { text, event };
    });
}

function fieldOf(frame: string, name: string): string | undefined {
  return frame
    .split('\n')
    .find((line) => line.startsWith(name))
    ?.slice(name.length);
}
