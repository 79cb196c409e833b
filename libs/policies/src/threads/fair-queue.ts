/** A bounded queue in which the organizations take turns, however much one of them adds. */
export class FairQueue<T> {
  /** Items by organization, in the order of their turns. An organization without items has no entry. */
  private readonly waiting = new Map<string, T[]>();
  private length = 0;

  constructor(private readonly capacity: number) {}

  /**
   * Adds an item. If the queue was full, removes and returns the last item of the organization with the most items, which
   * can be the new item itself.
   */
  push(organizationId: string, item: T): T | undefined {
    const items = this.waiting.get(organizationId);
    if (items === undefined) this.waiting.set(organizationId, [item]);
    else items.push(item);
    this.length += 1;
    return this.length > this.capacity ? this.removeFromLongest() : undefined;
  }

  /** Removes and returns the oldest item of the next organization in turn for which `may` returns true. */
  take(may: (organizationId: string) => boolean): { organizationId: string; item: T } | undefined {
    for (const [organizationId, items] of this.waiting) {
      if (!may(organizationId)) continue;
      const item = items.shift() as T;
      this.length -= 1;
      this.waiting.delete(organizationId);
      if (items.length > 0) this.waiting.set(organizationId, items);
      return { organizationId, item };
    }
    return undefined;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    const items = [...this.waiting.values()].flat();
    this.waiting.clear();
    this.length = 0;
    return items;
  }

  private removeFromLongest(): T | undefined {
    const [longest] = [...this.waiting].toSorted(([, a], [, b]) => b.length - a.length);
    if (longest === undefined) return undefined;
    const [organizationId, items] = longest;
    const removed = items.pop();
    if (items.length === 0) this.waiting.delete(organizationId);
    this.length -= 1;
    return removed;
  }
}
