import { AsyncLocalStorage } from 'node:async_hooks';
import { FairQueue } from '@app/kernel';
import { driverErrorOf } from './postgres-errors.js';

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

/**
 * Reports the result of an item as soon as it is committed. A promise takes the item out of the batch: others do not wait
 * for it.
 */
export type ReportResult<Item, Result> = (item: Item, result: Result | Promise<Result>) => void;

interface Entry<Item, Result> {
  readonly item: Item;
  readonly holder: string;
  readonly key: string;
  readonly bytes: number;
  readonly since: number;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/** Like the wait for a connection: whoever waits longer gets an error instead of a late write. */
const MAX_WAIT_MS = 5000;
/** Classes of SQLSTATE that show that the statement was rolled back because of what it contains. */
const FAULT_OF_AN_ITEM = /^(22|23|54)/;

/**
 * Writes that arrive while others are under way wait and are committed together: a commit costs more than a small write.
 * Nothing waits for a timer, so that a single item is written at once. If a batch fails because of what it contains, each
 * item is written again alone, so that one item's fault is only its own.
 */
export class GroupCommit<Item, Result> {
  private readonly waiting = new FairQueue<Entry<Item, Result>>();
  private readonly busy = new Set<string>();
  private inFlight = 0;
  private isPlanned = false;
  /** Runs work outside the trace and the transaction of the call that happened to begin a batch. */
  private readonly outside = AsyncLocalStorage.snapshot();

  /**
   * `write` commits the items, and reports the result of each. Items that it does not report wait for the next batch, before
   * others of their holder.
   */
  constructor(
    private readonly write: (items: readonly Item[], report: ReportResult<Item, Result>) => Promise<void>,
    private readonly options: GroupCommitOptions<Item>,
  ) {}

  /** Resolves after the commit. */
  async add(item: Item): Promise<Result> {
    const { keyOf, holderOf, bytesOf } = this.options;
    const holder = holderOf(item);
    const described = { item, holder, key: keyOf(item), bytes: bytesOf(item), since: performance.now() };
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push(holder, { ...described, resolve, reject });
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
    while (this.inFlight < this.options.maxInFlight) {
      const batch = this.next();
      if (batch.length === 0) return;
      this.inFlight += 1;
      for (const { key } of batch) this.busy.add(key);
      void this.settle(batch).finally(() => {
        this.inFlight -= 1;
        for (const { key } of batch) this.busy.delete(key);
        this.begin();
      });
    }
  }

  /** Removes and returns the next items: one of each holder in turn, until the batch is full. */
  private next(): Entry<Item, Result>[] {
    const { maxItems, maxBytes } = this.options;
    const batch: Entry<Item, Result>[] = [];
    let bytes = 0;
    const fitting = this.waiting.take((_holder, entries) => {
      if (batch.length >= maxItems || bytes > maxBytes) return undefined;
      const entry = this.firstOf(entries);
      bytes += entry?.bytes ?? 0;
      return batch.length > 0 && bytes > maxBytes ? undefined : entry;
    });
    for (const [, entry] of fitting) batch.push(entry);
    return batch;
  }

  /** Returns the first item that may be written now. Rejects those that have waited for too long. */
  private firstOf(entries: readonly Entry<Item, Result>[]): Entry<Item, Result> | undefined {
    const oldest = performance.now() - MAX_WAIT_MS;
    for (const entry of [...entries]) {
      if (entry.since < oldest) {
        this.waiting.remove(entry.holder, entry);
        entry.reject(new Error('timeout exceeded when trying to connect'));
      } else if (!this.busy.has(entry.key)) return entry;
    }
    return undefined;
  }

  private async settle(batch: readonly Entry<Item, Result>[]): Promise<void> {
    const open = new Map(batch.map((entry) => [entry.item, entry]));
    try {
      await this.write([...open.keys()], (item, result) => {
        open.get(item)?.resolve(result);
        open.delete(item);
      });
      this.putBack([...open.values()]);
    } catch (error) {
      // After any other error, it is not known what was committed: the senders decide, as for a single write.
      if (batch.length === 1 || !isFaultOfAnItem(error)) for (const { reject } of open.values()) reject(error);
      else await this.settleAlone([...open.values()]);
    }
  }

  private putBack(entries: readonly Entry<Item, Result>[]): void {
    for (const entry of entries.toReversed()) this.waiting.unshift(entry.holder, entry);
  }

  /** Writes each item alone, those with equal keys in their order. */
  private async settleAlone(entries: readonly Entry<Item, Result>[]): Promise<void> {
    const last = new Map<string, Promise<void>>();
    for (const entry of entries) {
      const before = last.get(entry.key) ?? Promise.resolve();
      last.set(
        entry.key,
        before.then(() => this.settle([entry])),
      );
    }
    await Promise.all(last.values());
  }
}

function isFaultOfAnItem(error: unknown): boolean {
  const { code } = (driverErrorOf(error) ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && FAULT_OF_AN_ITEM.test(code);
}
