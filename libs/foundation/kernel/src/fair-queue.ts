/** The items of an owner, in the order in which they were added. */
type Queued<Item> = readonly [Item, ...Item[]];

/** Items that wait, of owners who take turns however many items one of them adds. */
export class FairQueue<Item, Owner = string> implements Iterable<readonly [Owner, Queued<Item>]> {
  /** By owner, in the order of their turns. An owner without items has no entry. */
  private readonly items = new Map<Owner, [Item, ...Item[]]>();
  private count = 0;

  /** Number of items. */
  get length(): number {
    return this.count;
  }

  /** Returns whether items of the owner wait. */
  has(owner: Owner): boolean {
    return this.items.has(owner);
  }

  push(owner: Owner, item: Item): void {
    const own = this.items.get(owner);
    if (own === undefined) this.items.set(owner, [item]);
    else own.push(item);
    this.count += 1;
  }

  /** Adds an item before the others of its owner. */
  unshift(owner: Owner, item: Item): void {
    this.items.set(owner, [item, ...(this.items.get(owner) ?? [])]);
    this.count += 1;
  }

  /** Returns false if the owner has no such item. The owner keeps its turn. */
  remove(owner: Owner, item: Item): boolean {
    const own: Item[] = this.items.get(owner) ?? [];
    const place = own.indexOf(item);
    if (place === -1) return false;
    own.splice(place, 1);
    if (own.length === 0) this.items.delete(owner);
    this.count -= 1;
    return true;
  }

  /**
   * Removes and yields items: one of each owner in turn, until no owner has one to take. `choose` returns the item to
   * take, mostly the first one; undefined: none of this owner, which keeps its turn and is not asked again.
   */
  *take(choose: (owner: Owner, items: Queued<Item>) => Item | undefined): Generator<readonly [Owner, Item], undefined> {
    for (const [owner, own] of this.items) {
      const item = choose(owner, own);
      if (item === undefined) continue;
      this.remove(owner, item);
      // To the end of the turns, where this loop finds the owner again.
      this.items.delete(owner);
      if (own.length > 0) this.items.set(owner, own);
      yield [owner, item];
    }
    return undefined;
  }

  [Symbol.iterator](): Iterator<readonly [Owner, Queued<Item>]> {
    return this.items.entries();
  }
}
