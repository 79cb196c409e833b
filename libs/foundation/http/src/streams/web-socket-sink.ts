import { AcceptedWebSocket } from './accepted-web-socket.js';

/**
 * A WebSocket as a stream of events: each frame of the stream becomes a message `{"id","event","data"}`. It is a `StreamSink`
 * of libs/backbone/events, which documents the methods.
 */
export class WebSocketSink extends AcceptedWebSocket {
  private lastEvent = '';

  write(bytes: Uint8Array | string, onSent?: () => void): void {
    const messages = messagesOf(bytes);
    const last = messages.findLast(({ text }) => text !== undefined);
    for (const message of messages) {
      const { text, event } = message;
      if (text === undefined) this.keepAlive();
      else this.send(text, message === last ? onSent : undefined);
      if (event !== undefined) this.lastEvent = event;
    }
    if (last === undefined) onSent?.();
  }

  /** Closes after the queue is sent. Unless the last event was `done`, asks the client to connect again. */
  end(): void {
    if (this.lastEvent === 'done') this.complete('done');
    else this.askToReconnect('Connect again, with the last event id');
  }
}

interface Message {
  /** Undefined for a comment of the stream, which only keeps the connection alive. */
  readonly text: string | undefined;
  readonly event: string | undefined;
}

/** Caches the messages of bytes that several readers share, so that they are encoded once. */
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
