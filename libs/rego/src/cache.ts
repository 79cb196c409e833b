import type { Program } from './program.js';

type Entry = { readonly program: Program } | { readonly error: unknown };

/**
 * Compiled programs by key, such as a policy's id and version; the least recently used go first. A policy that does not
 * compile is remembered as well, so that it costs one attempt.
 */
export class CompiledCache {
  private readonly entries = new Map<string, Entry>();

  /** `capacity` is a number of programs. */
  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.entries.size;
  }

  /** The program of `key`, made by `make` where it is not known. Throws what `make` threw. */
  get(key: string, make: () => Program): Program {
    let entry = this.entries.get(key);
    if (entry === undefined) entry = attempt(make);
    else this.entries.delete(key);
    this.entries.set(key, entry);
    const oldest = this.entries.keys().next().value;
    if (this.entries.size > this.capacity && oldest !== undefined) this.entries.delete(oldest);
    if ('error' in entry) throw entry.error;
    return entry.program;
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}

function attempt(make: () => Program): Entry {
  try {
    return { program: make() };
  } catch (error) {
    return { error };
  }
}
