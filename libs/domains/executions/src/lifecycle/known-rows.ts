import type { ExecutionRef } from '@app/events';
import { LRUCache } from 'lru-cache';
import type { LifecycleSnapshot } from './lifecycle.repository.js';

/** A row is read again after this time, because heartbeats and other processes have probably written it. */
const MAX_AGE_MS = 1000;
const MAX_ROWS = 2048;

interface Known {
  readonly row: LifecycleSnapshot;
  /** By the clock of this process. */
  readonly since: number;
}

/**
 * The rows that this process wrote last: a worker that begins and ends a short run sends one command soon after the other.
 * A row may be outdated, which its version shows when it is written.
 */
export class KnownRows {
  private readonly rows = new LRUCache<string, Known>({ max: MAX_ROWS });

  /** Returns the row if it was written just now, with the present time of the database. */
  get(ref: ExecutionRef, now: number): LifecycleSnapshot | undefined {
    const known = this.rows.get(keyOf(ref));
    if (known === undefined) return undefined;
    const age = now - known.since;
    if (age < 0 || age > MAX_AGE_MS) return undefined;
    return { ...known.row, at: new Date(known.row.at.getTime() + age) };
  }

  set(row: LifecycleSnapshot, now: number): void {
    this.rows.set(keyOf({ organizationId: row.organization_id, executionId: row.id }), { row, since: now });
  }

  delete(ref: ExecutionRef): void {
    this.rows.delete(keyOf(ref));
  }
}

/** Identifies an execution: ids are unique within an organization only. */
export function keyOf({ organizationId, executionId }: ExecutionRef): string {
  return `${organizationId} ${executionId}`;
}
