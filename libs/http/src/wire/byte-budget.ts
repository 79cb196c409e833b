import { unavailable } from '@app/kernel';

/** How many bytes of bodies may be held at once, however many requests they came with. */
export class ByteBudget {
  private held = 0;

  constructor(private readonly bytes: number) {}

  /** Throws `unavailable` where there is no room; nothing is held for it then. */
  take(bytes: number): void {
    if (this.held + bytes > this.bytes) {
      throw unavailable('too_many_bodies', 'Too many large requests are under way at the moment, try again');
    }
    this.held += bytes;
  }

  give(bytes: number): void {
    this.held -= bytes;
  }
}
