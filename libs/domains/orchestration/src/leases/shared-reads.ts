/** Runs each read of a batch once, however many runs of the batch need it. */
export class SharedReads {
  private readonly begun = new Map<string, Promise<unknown>>();

  /** `key` must determine the result of `read`. */
  once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const result = (this.begun.get(key) as Promise<T> | undefined) ?? read();
    this.begun.set(key, result);
    return result;
  }

  /**
   * Like `once` for several keys: `read` receives only the keys that neither were read before nor are being read, and
   * returns by key the results that exist.
   */
  async onceEach<T>(
    keys: readonly string[],
    read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  ): Promise<ReadonlyMap<string, T>> {
    const missing = keys.filter((key) => !this.begun.has(key));
    const batch = missing.length === 0 ? undefined : read(missing);
    for (const key of missing)
      this.begun.set(
        key,
        Promise.resolve(batch).then((found) => found?.get(key)),
      );
    const results = await Promise.all(
      keys.map(async (key) => [key, (await this.begun.get(key)) as T | undefined] as const),
    );
    return new Map(results.filter((result): result is readonly [string, T] => result[1] !== undefined));
  }
}
