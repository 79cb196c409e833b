import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The callbacks per connection. One listener on the socket suffices for any number of pipelined requests. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls the listener once, when the response was sent or its connection closed; immediately if that has happened
 * already, which is common after an `await`. The event `close` alone does not suffice: it is emitted once, and never on
 * a response that is queued behind another one when the connection closes. Returns a function that removes the listener.
 */
export function onResponseClosed(response: ServerResponse, listener: () => void): () => void {
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
