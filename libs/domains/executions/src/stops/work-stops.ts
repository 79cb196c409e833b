import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ALLOW, FIND_STOP, PRUNE_STOPS, STOP } from './work-stop.sql.js';

/** Thrown instead of starting an execution whose source is stopped. */
export class WorkStoppedError extends Error {
  override readonly name = 'WorkStoppedError';
}

/**
 * Stops queues, workers and jobs for requests that began while they were active. After the commit of a stop, polls
 * return no leases of a stopped queue or to a stopped worker, and the start of a stopped job throws `WorkStoppedError`.
 * Callers write the stop in the transaction that changes the status of the queue or job.
 */
@Injectable()
export class WorkStops {
  constructor(private readonly database: Database) {}

  async stop({ organizationId }: Scope, sourceId: string): Promise<void> {
    await this.database.prepared(STOP, [organizationId, sourceId]);
  }

  /** Removes the stop of a source that becomes active again. */
  async allow({ organizationId }: Scope, sourceId: string): Promise<void> {
    await this.database.prepared(ALLOW, [organizationId, sourceId]);
  }

  /** Returns whether one of the sources is stopped. */
  async has({ organizationId }: Scope, ...sourceIds: readonly string[]): Promise<boolean> {
    return (await this.database.prepared(FIND_STOP, [organizationId, sourceIds])).length > 0;
  }

  /** Deletes up to `limit` expired stops of all organizations. Returns their number. */
  async prune(limit: number): Promise<number> {
    return (await this.database.sql(PRUNE_STOPS, [limit])).length;
  }
}
