import { FairQueue } from '@app/kernel';

interface Waiting<T> {
  readonly item: T;
  readonly isUrgent: boolean;
}

/**
 * A bounded queue in which the organizations take turns. Within an organization, items that are not urgent never delay
 * urgent ones.
 */
export class EvaluationQueue<T> {
  private readonly waiting = new FairQueue<Waiting<T>>();

  constructor(private readonly capacity: number) {}

  /**
   * Adds an item. If the queue was full, removes and returns the last item of the organization with the most items, an
   * urgent one only if it has no others. This can be the new item itself.
   */
  push(organizationId: string, item: T, { isUrgent }: { readonly isUrgent: boolean }): T | undefined {
    this.waiting.push(organizationId, { item, isUrgent });
    return this.waiting.length > this.capacity ? this.removeFromLongest() : undefined;
  }

  /** Removes and returns the oldest item, of the urgent ones if there are any, of the next organization in turn for which `may` returns true. */
  take(may: (organizationId: string) => boolean): { organizationId: string; item: T } | undefined {
    const { value } = this.waiting
      .take((id, items) => (may(id) ? (items.find(({ isUrgent }) => isUrgent) ?? items[0]) : undefined))
      .next();
    return value === undefined ? undefined : { organizationId: value[0], item: value[1].item };
  }

  /** Removes and returns all items. */
  clear(): T[] {
    return [...this.waiting.take((_id, [first]) => first)].map(([, { item }]) => item);
  }

  private removeFromLongest(): T | undefined {
    const [longest] = [...this.waiting].toSorted(([, a], [, b]) => b.length - a.length);
    if (longest === undefined) return undefined;
    const [organizationId, items] = longest;
    const last = items.findLast(({ isUrgent }) => !isUrgent) ?? items.at(-1);
    if (last === undefined) return undefined;
    this.waiting.remove(organizationId, last);
    return last.item;
  }
}
