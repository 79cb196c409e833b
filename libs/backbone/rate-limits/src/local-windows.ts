import type { Clock } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import { verdictOf, type Usage, type WindowVerdict, type Window } from './windows.js';

/**
 * Maximum number of stored times of all keys together (32 MiB). Beyond it, the least recently used keys are dropped,
 * and their windows start empty again.
 */
const MAX_TIMES = 4_194_304;
const FIRST_SIZE = 32;

/** The times of the newest admitted requests of a key, in milliseconds. */
class Ring {
  constructor(
    private readonly times: Float64Array,
    public count = 0,
  ) {}

  get size(): number {
    return this.times.length;
  }

  at(index: number): number {
    return this.times[index % this.size] ?? 0;
  }

  push(time: number): void {
    this.times[this.count % this.size] = time;
    this.count += 1;
  }

  /** Returns a larger ring with the same times. */
  enlarged(size: number): Ring {
    const larger = new Ring(new Float64Array(size));
    for (let index = Math.max(0, this.count - this.size); index < this.count; index += 1) larger.push(this.at(index));
    return larger;
  }
}

/**
 * The windows of this process alone, for the time while Redis is unreachable. The decisions follow the same rules as
 * those of the script.
 */
export class LocalWindows {
  private readonly rings = new LRUCache<string, Ring>({ maxSize: MAX_TIMES, sizeCalculation: (ring) => ring.size });

  constructor(private readonly clock: Clock) {}

  charge(key: string, windows: readonly Window[]): WindowVerdict {
    const ring = this.rings.get(key) ?? new Ring(new Float64Array(FIRST_SIZE));
    const last = ring.count === 0 ? 0 : ring.at(ring.count - 1);
    const now = Math.max(this.clock.millis(), last);
    const usages = windows.map((window) => usageOf(ring, window, now));
    const waitMs = Math.max(
      ...windows.map(({ limit, lengthMs }, index) => {
        const { used, oldestAt } = usages[index] as Usage;
        return used < limit ? 0 : oldestAt + lengthMs - now;
      }),
    );
    if (waitMs > 0) return verdictOf(windows, waitMs, usages);
    this.push(key, ring, now, Math.max(...windows.map(({ limit }) => limit)));
    return verdictOf(
      windows,
      0,
      usages.map(({ used, oldestAt }) => ({ used: used + 1, oldestAt })),
    );
  }

  /** The ring grows on demand up to the largest limit, so that a key with few requests occupies little memory. */
  private push(key: string, ring: Ring, now: number, largest: number): void {
    const isFull = ring.count >= ring.size && ring.size < largest;
    const room = isFull ? ring.enlarged(Math.min(largest, ring.size * 2)) : ring;
    room.push(now);
    this.rings.set(key, room);
  }
}

/** Counts at most `limit` requests, because the decision needs no more. */
function usageOf(ring: Ring, { lengthMs, limit }: Window, now: number): Usage {
  let low = Math.max(0, ring.count - Math.min(ring.size, limit));
  let high = ring.count;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (ring.at(middle) > now - lengthMs) high = middle;
    else low = middle + 1;
  }
  const used = ring.count - low;
  return { used, oldestAt: used === 0 ? now : ring.at(low) };
}
