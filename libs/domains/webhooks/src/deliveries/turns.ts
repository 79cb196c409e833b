/**
 * Divides the places of a process, each of which serves one webhook, among organizations. An organization gets at most
 * `perOwner` places, and fewer if many organizations are served. Some places remain free for the next organization, so
 * that slow subscribers of others do not delay it.
 */
export class Turns {
  private readonly taken = new Map<string, number>();

  constructor(
    private readonly places: number,
    private readonly perOwner: number,
  ) {}

  /** Acquires a place. Returns false if the owner has used up its share. */
  acquire(owner: string): boolean {
    const own = this.taken.get(owner) ?? 0;
    const owners = this.taken.size + (own === 0 ? 1 : 0);
    // `+ 1`: the share that remains free for the next owner.
    const share = Math.max(1, Math.min(this.perOwner, Math.floor(this.places / (owners + 1))));
    if (own >= share) return false;
    this.taken.set(owner, own + 1);
    return true;
  }

  release(owner: string): void {
    const left = (this.taken.get(owner) ?? 1) - 1;
    if (left > 0) this.taken.set(owner, left);
    else this.taken.delete(owner);
  }
}
