/** Returns the message of a start, with a hint if no live worker serves the queue of the execution. */
export function startMessage(message: string, unservedQueue: string | null): string {
  return unservedQueue === null ? message : `${message}; ${waitingMessage(unservedQueue)}`;
}

export function waitingMessage(queue: string): string {
  return `it waits, because no live worker serves the queue ${queue}`;
}
