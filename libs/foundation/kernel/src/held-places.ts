/**
 * Counts the places that each owner holds, and all of them. It has no limit: the shares differ. Connections and places of
 * event logs are given while more are free than the owner holds, so the first owner gets half and the next ones get half
 * of the rest; places of webhooks are divided equally, with a share that remains free for the next owner; of the threads
 * for policies, an owner gets all but one.
 */
export class HeldPlaces<Owner = string> implements Iterable<readonly [Owner, number]> {
  private readonly byOwner = new Map<Owner, number>();
  private count = 0;

  /** Number of places that are held. */
  get total(): number {
    return this.count;
  }

  /** Number of owners that hold a place. Others are not stored. */
  get owners(): number {
    return this.byOwner.size;
  }

  of(owner: Owner): number {
    return this.byOwner.get(owner) ?? 0;
  }

  acquire(owner: Owner): void {
    this.byOwner.set(owner, this.of(owner) + 1);
    this.count += 1;
  }

  /** Has no effect if the owner holds no place. */
  release(owner: Owner): void {
    const held = this.of(owner);
    if (held === 0) return;
    if (held === 1) this.byOwner.delete(owner);
    else this.byOwner.set(owner, held - 1);
    this.count -= 1;
  }

  [Symbol.iterator](): Iterator<readonly [Owner, number]> {
    return this.byOwner.entries();
  }
}
