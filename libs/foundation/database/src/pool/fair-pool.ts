import { FairQueue, HeldPlaces } from '@app/kernel';
import { createCounter } from '@app/metrics';
import { currentContext } from '@app/observability';
import type { ChosenClient } from '@app/postgres';
import { Pool, type PoolClient, type PoolConfig, type QueryConfig } from 'pg';
import type { ConnectionOptions } from './connection-options.js';
import { RefusedWrites } from './refused-writes.js';

type OnConnect = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void;

/** The organization that holds a connection; undefined for work of no organization, such as background tasks. */
export type Holder = string | undefined;

interface Waiter {
  readonly onConnect: OnConnect;
  readonly timer: NodeJS.Timeout | undefined;
}

/** How often a request for a connection is repeated because the chosen server cannot be used any more. */
const MAX_REPLACEMENTS = 1;

const shareWaits = createCounter(
  'platform_database_share_waits_total',
  'Statements and transactions that waited because their organization held its share of the connections',
);

/**
 * A pool that one organization cannot exhaust: an organization gets a connection only while more connections are free
 * than it holds. One organization alone therefore holds at most half of the pool, a second one half of the rest, and so
 * on. Further requests wait: first in, first out within an organization, and organizations take turns. All work without
 * an organization counts as one organization.
 *
 * As with any pool, code that holds a connection must not request another one: that can deadlock.
 */
export class FairPool extends Pool {
  readonly refusedWrites = new RefusedWrites();
  private readonly lent = new HeldPlaces<Holder>();
  private readonly waiters = new FairQueue<Waiter, Holder>();
  private readonly holders = new WeakMap<PoolClient, { readonly holder: Holder }>();

  constructor(config?: PoolConfig) {
    super(config);
    this.on('connect', (client) => this.refusedWrites.watch(client));
    // Emitted before the pool can lend the connection again.
    this.on('release', (_error, client) => {
      const lending = this.holders.get(client);
      if (lending === undefined) return;
      this.holders.delete(client);
      this.takeBack(lending.holder);
    });
  }

  /** Number of requests that wait for the share of their organization or for a connection of the pool. */
  get queueLength(): number {
    return this.waitingCount + this.waiters.length;
  }

  /** Statements at the begin of each transaction; undefined: none. */
  get beginWith(): string | undefined {
    return this.ownOptions.beginWith;
  }

  /** Returns a query that prepares its statement once on each connection, if the server supports that. */
  preparing<Query extends QueryConfig>({ name, ...query }: Query): Omit<Query, 'name'> & { readonly name?: string } {
    return name === undefined || this.ownOptions.preparesStatements === false ? query : { ...query, name };
  }

  /** Returns whether a request of the holder would have to wait now. */
  isAtShare(holder: Holder): boolean {
    return this.waiters.has(holder) || !this.mayLend(holder);
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: OnConnect): void;
  override connect(callback?: OnConnect): Promise<PoolClient> | void {
    const holder = currentContext()?.organizationId;
    if (callback !== undefined) return this.connectFor(holder, callback);
    return new Promise((resolve, reject) => {
      this.connectFor(holder, (error, client) => {
        if (client === undefined) reject(error ?? new Error('The pool returned no connection'));
        else resolve(client);
      });
    });
  }

  /** Lends a connection to the holder, not to the organization of the current request. */
  connectFor(holder: Holder, onConnect: OnConnect): void {
    if (!this.isAtShare(holder)) return this.lend(holder, onConnect);
    if (this.lent.total < this.options.max) shareWaits.inc();
    const waiter: Waiter = { onConnect, timer: this.waitLimit(() => this.expire(holder, waiter)) };
    this.waiters.push(holder, waiter);
  }

  private mayLend(holder: Holder): boolean {
    return this.lent.of(holder) < this.options.max - this.lent.total;
  }

  private lend(holder: Holder, onConnect: OnConnect): void {
    this.lent.acquire(holder);
    this.request(holder, onConnect, MAX_REPLACEMENTS);
  }

  /** Requests another connection instead of an outdated one, and instead of one to a server that has to be replaced. */
  private request(holder: Holder, onConnect: OnConnect, replacements: number): void {
    super.connect((error, client, done) => {
      if (client !== undefined && isOutdated(client)) {
        // Without a holder: the connection is not lent, and its place in the pool is requested again.
        done(true);
        return this.request(holder, onConnect, replacements);
      }
      if (client === undefined && replacements > 0 && this.ownOptions.servers?.isMultiple === true) {
        return this.request(holder, onConnect, replacements - 1);
      }
      if (client === undefined) this.takeBack(holder);
      else this.holders.set(client, { holder });
      onConnect(error, client, done);
    });
  }

  private get ownOptions(): Partial<ConnectionOptions> {
    return this.options;
  }

  private takeBack(holder: Holder): void {
    this.lent.release(holder);
    if (this.waiters.length === 0) return;
    // At most as many holders as there are connections have reached their share, so the search is short.
    const lendable = this.waiters.take((waiting, [first]) => (this.mayLend(waiting) ? first : undefined));
    for (const [waiting, { onConnect, timer }] of lendable) {
      clearTimeout(timer);
      this.lend(waiting, onConnect);
      if (this.lent.total >= this.options.max) return;
    }
  }

  /** Applies the time limit and the error that `pg` has for requests that wait because all connections are in use. */
  private waitLimit(expire: () => void): NodeJS.Timeout | undefined {
    const limit = this.options.connectionTimeoutMillis;
    return limit ? setTimeout(expire, limit).unref() : undefined;
  }

  private expire(holder: Holder, waiter: Waiter): void {
    if (!this.waiters.remove(holder, waiter)) return;
    waiter.onConnect(new Error('timeout exceeded when trying to connect'), undefined, () => undefined);
  }
}

function isOutdated(client: PoolClient): boolean {
  return (client as unknown as Partial<Pick<ChosenClient, 'isOutdated'>>).isOutdated === true;
}
