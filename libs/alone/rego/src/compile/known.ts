/** A set of known names, with callbacks that wait for further names. */
export class KnownNames {
  private readonly known: Set<string>;
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(names: Iterable<string>) {
    this.known = new Set(names);
  }

  get names(): ReadonlySet<string> {
    return this.known;
  }

  has(name: string): boolean {
    return this.known.has(name);
  }

  add(name: string): void {
    if (this.known.has(name)) return;
    this.known.add(name);
    for (const wake of this.waiting.get(name) ?? []) wake();
    this.waiting.delete(name);
  }

  /**
   * Calls `wake` for each unknown name when it becomes known. Returns the number of unknown names. `wake` must not add
   * names.
   */
  await(names: Iterable<string>, wake: () => void): number {
    let missing = 0;
    for (const name of names) {
      if (this.known.has(name)) continue;
      missing++;
      const waiters = this.waiting.get(name);
      if (waiters === undefined) this.waiting.set(name, [wake]);
      else waiters.push(wake);
    }
    return missing;
  }
}

/** Names that become known together as soon as other names are known. */
export interface Implication {
  readonly needs: ReadonlySet<string>;
  readonly gives: Iterable<string>;
}

/** Adds to `added` all names that follow from `safe` and `added`. Each implication is used once. */
export function addImplied(implications: readonly Implication[], safe: ReadonlySet<string>, added: Set<string>): void {
  const known = new KnownNames(added);
  const ready: Implication[] = [];
  for (const implication of implications) {
    let missing = 0;
    const unknown = [...implication.needs].filter((name) => !safe.has(name));
    missing = known.await(unknown, () => {
      if (--missing === 0) ready.push(implication);
    });
    if (missing === 0) ready.push(implication);
  }
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    for (const name of next.gives) {
      if (safe.has(name)) continue;
      added.add(name);
      known.add(name);
    }
  }
}
