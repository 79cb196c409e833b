/** The items of one organization. Urgent ones are served first. */
interface Waiting<T> {
  readonly urgent: T[];
  readonly others: T[];
}

/**
 * A bounded queue in which the organizations take turns, however much one of them adds. Within an organization, items that
 * are not urgent never delay urgent ones.
 */
export class FairQueue<T> {
  /** Items by organization, in the order of their turns. An organization without items has no entry. */
  private readonly waiting = new Map<string, Waiting<T>>();
  private length = 0;

  constructor(private readonly capacity: number) {}

  /**
   * Adds an item. If the queue was full, removes and returns the last item of the organization with the most items, an
   * urgent one only if it has no others. This can be the new item itself.
   */
  push(organizationId: string, item: T, { isUrgent }: { readonly isUrgent: boolean }): T | undefined {
    const items = this.waiting.get(organizationId) ?? { urgent: [], others: [] };
    this.waiting.set(organizationId, items);
    (isUrgent ? items.urgent : items.others).push(item);
    this.length += 1;
    return this.length > this.capacity ? this.removeFromLongest() : undefined;
  }

  /** Removes and returns the oldest item, of the urgent ones if there are any, of the next organization in turn for which `may` returns true. */
  take(may: (organizationId: string) => boolean): { organizationId: string; item: T } | undefined {
    for (const [organizationId, items] of this.waiting) {
      if (!may(organizationId)) continue;
      const item = (items.urgent.length > 0 ? items.urgent : items.others).shift() as T;
      this.length -= 1;
      this.waiting.delete(organizationId);
      if (lengthOf(items) > 0) this.waiting.set(organizationId, items);
      return { organizationId, item };
    }
    return undefined;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    const items = [...this.waiting.values()].flatMap(({ urgent, others }) => [...urgent, ...others]);
    this.waiting.clear();
    this.length = 0;
    return items;
  }

  private removeFromLongest(): T | undefined {
    const [longest] = [...this.waiting].toSorted(([, a], [, b]) => lengthOf(b) - lengthOf(a));
    if (longest === undefined) return undefined;
    const [organizationId, items] = longest;
    const removed = (items.others.length > 0 ? items.others : items.urgent).pop();
    if (lengthOf(items) === 0) this.waiting.delete(organizationId);
    this.length -= 1;
    return removed;
  }
}

function lengthOf<T>({ urgent, others }: Waiting<T>): number {
  return urgent.length + others.length;
}
