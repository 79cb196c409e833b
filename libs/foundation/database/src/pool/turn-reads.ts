import { currentContext } from '@app/observability';
import type { QueryResultRow } from 'pg';
import type { FairPool, Holder } from './fair-pool.js';
import type { ResilientClient } from './resilient-client.js';

/** `name` must be unique to the text: connections cache the prepared statement under it. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

interface Read {
  /** The organization that began the read. */
  readonly holder: Holder;
  readonly query: { readonly name?: string; readonly text: string; readonly values: unknown[] };
  readonly resolve: (rows: QueryResultRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Maximum number of reads of one turn on one connection. The server runs the reads of a connection one after the other:
 * with more of them, the wait would cost more than the saved writes.
 */
const MAX_READS_PER_CONNECTION = 16;

/**
 * The reads that are begun in one turn of the event loop. They are sent at the end of the turn, with one write per
 * connection instead of one per statement: a write costs as much CPU as all other work for a small read. Reads with
 * equal statements and values are sent once. A failing read does not affect the others.
 */
export class TurnReads {
  private reads: Read[] = [];
  /** The promised rows of the reads that are not sent yet, by statement and values. */
  private readonly begun = new Map<string, Promise<QueryResultRow[]>>();

  /** The clients of the pool must have been created with `pipeline`. */
  constructor(private readonly pool: FairPool) {}

  /** Returns the rows of a read. Callers must not modify them, because several callers can get the same objects. */
  rows({ name, text }: PreparedStatement, values: readonly unknown[]): Promise<readonly QueryResultRow[]> {
    const key = `${name} ${JSON.stringify(values)}`;
    const equal = this.begun.get(key);
    if (equal !== undefined) return equal;
    if (this.reads.length === 0) setImmediate(() => this.send());
    const rows = new Promise<QueryResultRow[]>((resolve, reject) => {
      this.reads.push({
        holder: currentContext()?.organizationId,
        query: this.pool.preparing({ name, text, values: [...values] }),
        resolve,
        reject,
      });
    });
    this.begun.set(key, rows);
    return rows;
  }

  private send(): void {
    const { reads } = this;
    this.reads = [];
    this.begun.clear();
    const [first] = reads;
    if (first === undefined) return;
    if (reads.every(({ holder }) => holder === first.holder)) return this.sendBatches(first.holder, reads);
    // Reads of an organization that has to wait for a connection must not delay the reads of others.
    const apart = new Map<Holder, Read[]>();
    for (const read of reads) {
      const holder = this.pool.isAtShare(read.holder) ? read.holder : undefined;
      const some = apart.get(holder);
      if (some === undefined) apart.set(holder, [read]);
      else some.push(read);
    }
    for (const [holder, some] of apart) this.sendBatches(holder, some);
  }

  private sendBatches(holder: Holder, reads: readonly Read[]): void {
    for (let from = 0; from < reads.length; from += MAX_READS_PER_CONNECTION) {
      this.sendTogether(holder, reads.slice(from, from + MAX_READS_PER_CONNECTION));
    }
  }

  private sendTogether(holder: Holder, reads: readonly Read[]): void {
    this.pool.connectFor(holder, (error, client, release) => {
      if (error !== undefined || client === undefined) {
        for (const read of reads) read.reject(error);
        return;
      }
      let unsettled = reads.length;
      let failure: Error | undefined;
      const settle = (failed: Error | undefined): void => {
        failure ??= failed;
        unsettled -= 1;
        // Like the pool for single statements: a connection on which a statement failed is not used again.
        if (unsettled === 0) release(failure);
      };
      (client as unknown as ResilientClient).inOneWrite(() => {
        for (const { query, resolve, reject } of reads) {
          client.query<QueryResultRow>(query, (failed: Error | null, result) => {
            settle(failed ?? undefined);
            if (failed === null) resolve(result.rows);
            else reject(failed);
          });
        }
      });
    });
  }
}
