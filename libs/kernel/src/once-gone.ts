import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** By connection: who waits for its end. One listener per connection, however many requests a client sends ahead on it. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once, when nobody will hear more of this answer: it was sent whole, or its client has gone. At once where
 * that is so already, which is common after anything was awaited: `close` is not told twice, and an answer that had to
 * wait for another one on the same connection is never told of the connection's end. Answers how to stop waiting.
 */
export function onceGone(response: ServerResponse, listener: () => void): () => void {
  const { socket } = response.req;
  if (response.closed || socket.destroyed) {
    listener();
    return () => undefined;
  }
  const listeners = listenersOf(socket);
  const gone = (): void => {
    if (listeners.delete(gone)) listener();
  };
  listeners.add(gone);
  response.once('close', gone);
  return () => {
    listeners.delete(gone);
    response.off('close', gone);
  };
}

function listenersOf(socket: Socket): Set<() => void> {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const listeners = new Set<() => void>();
  waiting.set(socket, listeners);
  socket.once('close', () => {
    for (const gone of [...listeners]) gone();
  });
  return listeners;
}
