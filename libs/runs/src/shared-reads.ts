/** Runs each read of a batch once, however many runs of the batch need it. */
export class SharedReads {
  private readonly begun = new Map<string, Promise<unknown>>();

  /** `key` must determine the result of `read`. */
  once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const result = (this.begun.get(key) as Promise<T> | undefined) ?? read();
    this.begun.set(key, result);
    return result;
  }
}
