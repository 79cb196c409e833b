import { AsyncLocalStorage } from 'node:async_hooks';
import { isStoreUnavailable } from './store-failure.js';

export interface GroupCommitOptions<Item> {
  /** Items with an equal key are never in two batches at once. Within a batch, they are in the order of their arrival. */
  readonly keyOf: (item: Item) => string;
  /** Whose item it is: holders take turns in a batch. */
  readonly holderOf: (item: Item) => string;
  readonly bytesOf: (item: Item) => number;
  readonly maxItems: number;
  /** A batch contains at least one item, however large. */
  readonly maxBytes: number;
  readonly maxInFlight: number;
}

/** Reports the result of an item as soon as it is committed. */
export type Committed<Item, Result> = (item: Item, result: Result) => void;

interface Entry<Item, Result> {
  readonly item: Item;
  readonly key: string;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes that arrive while others are under way wait and are committed together: a commit costs more than a small write.
 * Nothing waits for a timer, so that a single item is written at once. An item whose batch fails is written again alone, so
 * that one item's fault is only its own.
 */
export class GroupCommit<Item, Result> {
  /** By holder, in the order of their turns. A holder without items has no entry. */
  private readonly waiting = new Map<string, Entry<Item, Result>[]>();
  private readonly busy = new Set<string>();
  private inFlight = 0;
  private isPlanned = false;
  /** Runs work outside the trace and the transaction of the call that happened to begin a batch. */
  private readonly outside = AsyncLocalStorage.snapshot();

  /** `write` commits the items, and reports the result of each. */
  constructor(
    private readonly write: (items: readonly Item[], committed: Committed<Item, Result>) => Promise<void>,
    private readonly options: GroupCommitOptions<Item>,
  ) {}

  /** Resolves after the commit. */
  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const holder = this.options.holderOf(item);
      const entry = { item, key: this.options.keyOf(item), resolve, reject };
      const entries = this.waiting.get(holder);
      if (entries === undefined) this.waiting.set(holder, [entry]);
      else entries.push(entry);
      this.plan();
    });
  }

  /** Begins batches at the end of the turn of the event loop, so that the calls of one turn are in one batch. */
  private plan(): void {
    if (this.isPlanned || this.inFlight >= this.options.maxInFlight) return;
    this.isPlanned = true;
    this.outside(() =>
      setImmediate(() => {
        this.isPlanned = false;
        this.begin();
      }),
    );
  }

  private begin(): void {
    if (this.inFlight >= this.options.maxInFlight) return;
    const batch = this.next();
    if (batch.length === 0) return;
    this.inFlight += 1;
    for (const { key } of batch) this.busy.add(key);
    void this.settle(batch).finally(() => {
      this.inFlight -= 1;
      for (const { key } of batch) this.busy.delete(key);
      this.begin();
    });
    if (this.waiting.size > 0) this.begin();
  }

  /** Removes and returns the next items: one of each holder in turn, until the batch is full. */
  private next(): Entry<Item, Result>[] {
    const { maxItems, maxBytes, bytesOf } = this.options;
    const batch: Entry<Item, Result>[] = [];
    let bytes = 0;
    let isTaken = true;
    while (isTaken && batch.length < maxItems) {
      isTaken = false;
      for (const [holder, entries] of [...this.waiting]) {
        if (batch.length >= maxItems) break;
        const index = entries.findIndex(({ key }) => !this.busy.has(key));
        const entry = entries[index];
        if (entry === undefined) continue;
        bytes += bytesOf(entry.item);
        if (batch.length > 0 && bytes > maxBytes) return batch;
        entries.splice(index, 1);
        this.waiting.delete(holder);
        if (entries.length > 0) this.waiting.set(holder, entries);
        batch.push(entry);
        isTaken = true;
      }
    }
    return batch;
  }

  private async settle(batch: readonly Entry<Item, Result>[]): Promise<void> {
    const open = new Map(batch.map((entry) => [entry.item, entry]));
    try {
      await this.write([...open.keys()], (item, result) => {
        open.get(item)?.resolve(result);
        open.delete(item);
      });
    } catch (error) {
      // After the loss of a connection, nobody knows what was committed: the senders decide, as for a single write.
      if (batch.length === 1 || isStoreUnavailable(error)) for (const { reject } of open.values()) reject(error);
      else for (const entry of open.values()) await this.settle([entry]);
    }
  }
}
