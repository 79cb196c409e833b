import { createHash } from 'node:crypto';
import { CallFault } from '@app/mcp-tools';

/** Limits the simultaneous calls of each API key, so that one caller cannot occupy the server. */
export class CallLimits {
  private readonly running = new Map<string, number>();

  constructor(private readonly maxCalls: number) {}

  /** Returns a function that ends the call. Throws a CallFault if the caller has too many. */
  enter(apiKey: string): () => void {
    const caller = createHash('sha256').update(apiKey).digest('base64');
    const calls = this.running.get(caller) ?? 0;
    if (calls >= this.maxCalls) {
      throw new CallFault(`Too many calls at once: at most ${this.maxCalls} run. Try again when one has ended.`);
    }
    this.running.set(caller, calls + 1);
    return () => {
      const left = (this.running.get(caller) ?? 1) - 1;
      if (left === 0) this.running.delete(caller);
      else this.running.set(caller, left);
    };
  }
}
