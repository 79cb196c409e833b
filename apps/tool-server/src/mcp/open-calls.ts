import { Injectable } from '@nestjs/common';

/** A session of a client, and the subject of its token; null without one. */
interface Session {
  readonly id: string;
  readonly subject: string | null;
}

/**
 * The calls of clients of the protocol versions with `initialize`. Their cancellation is a message of its own, in
 * another request; a session id, which the server assigns at `initialize`, tells to which client it belongs.
 */
@Injectable()
export class OpenCalls {
  private readonly open = new Map<string, AbortController>();

  /** Returns a signal that aborts when the client cancels the call, and a function that ends the call. */
  begin(session: Session, requestId: unknown): { readonly signal: AbortSignal; readonly end: () => void } {
    const [name, controller] = [nameOf(session, requestId), new AbortController()];
    this.open.set(name, controller);
    const end = (): void => {
      if (this.open.get(name) === controller) this.open.delete(name);
    };
    return { signal: controller.signal, end };
  }

  cancel(session: Session, requestId: unknown): void {
    this.open.get(nameOf(session, requestId))?.abort();
  }

  get size(): number {
    return this.open.size;
  }
}

function nameOf({ id, subject }: Session, requestId: unknown): string {
  return JSON.stringify([id, subject, requestId]);
}
