/**
 * The calls of clients of the protocol versions with `initialize`. Their cancellation is a message of its own, in
 * another request; a session id, which the server assigns at `initialize`, tells to which client it belongs.
 */
export class OpenCalls {
  private readonly open = new Map<string, AbortController>();

  /** Returns a signal that aborts when the client cancels the call, and a function that ends the call. */
  begin(sessionId: string, requestId: unknown): { readonly signal: AbortSignal; readonly end: () => void } {
    const [name, controller] = [nameOf(sessionId, requestId), new AbortController()];
    this.open.set(name, controller);
    const end = (): void => {
      if (this.open.get(name) === controller) this.open.delete(name);
    };
    return { signal: controller.signal, end };
  }

  cancel(sessionId: string, requestId: unknown): void {
    this.open.get(nameOf(sessionId, requestId))?.abort();
  }
}

function nameOf(sessionId: string, requestId: unknown): string {
  return JSON.stringify([sessionId, requestId]);
}
