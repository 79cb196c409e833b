import type { Program } from './program.js';

type Entry = { readonly program: Program } | { readonly error: unknown };

/**
 * A cache of compiled programs by key, such as the id and version of a policy. The least recently used programs are
 * evicted first. The error of a policy that does not compile is cached as well, so that it is compiled only once.
 */
export class CompiledCache {
  private readonly entries = new Map<string, Entry>();

  /** `capacity`: maximum number of programs. */
  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.entries.size;
  }

  /** Returns the program of `key`, which `make` creates if it is not cached. Throws the error of `make`. */
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
