import { HeldPlaces } from '@app/kernel';

/**
 * Divides the places of a process, each of which serves one webhook, among organizations. An organization gets at most
 * `perOwner` places, and fewer if many organizations are served. Some places remain free for the next organization, so
 * that slow subscribers of others do not delay it.
 */
export class Turns {
  private readonly taken = new HeldPlaces();

  constructor(
    private readonly places: number,
    private readonly perOwner: number,
  ) {}

  /** Acquires a place. Returns false if the owner has used up its share. */
  acquire(owner: string): boolean {
    const own = this.taken.of(owner);
    const owners = this.taken.owners + (own === 0 ? 1 : 0);
    // `+ 1`: the share that remains free for the next owner.
    const share = Math.max(1, Math.min(this.perOwner, Math.floor(this.places / (owners + 1))));
    if (own >= share) return false;
    this.taken.acquire(owner);
    return true;
  }

  release(owner: string): void {
    this.taken.release(owner);
  }
}
