import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { AnalyticsFilter, FailedEntity, Period } from './analytics.types.js';
import { failureCause } from '../executions/failure-cause.js';
import { FIND_FAILURES } from './failures.sql.js';
import type { SeriesPlan, SeriesRow } from './series.js';
import { FIND_SERIES } from './series.sql.js';

/** Numbers of executions that failed in the period and in the preceding one. */
interface TotalsRow {
  readonly failed: number;
  readonly failed_before: number;
}

/** A cause of failures, with the totals of the period. */
export interface CauseRow extends TotalsRow {
  readonly cause: string;
  readonly count: number;
  readonly count_before: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly last_execution_id: string;
  readonly error_message: string | null;
  readonly entities: readonly FailedEntity[];
}

/** `cause` is null in the only row of a period without failures. */
export type FailureRow = CauseRow | (TotalsRow & { readonly cause: null });

@Injectable()
export class ExecutionAnalyticsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Counts executions that failed in the period and in the preceding period of equal length, by cause. Returns at most
   * `limit` causes and at least one row.
   */
  async failures(
    { organizationId }: Scope,
    { from, to }: Period,
    filter: AnalyticsFilter,
    limit: number,
  ): Promise<FailureRow[]> {
    const before = new Date(2 * from.getTime() - to.getTime());
    const { entityId = null, jobId = null, workerQueueId = null } = filter;
    const values = [organizationId, before, from, to, entityId, jobId, workerQueueId, limit, failureCause(null)];
    return this.database.sql<FailureRow>(FIND_FAILURES, values);
  }

  async series({ organizationId }: Scope, plan: SeriesPlan, filter: AnalyticsFilter): Promise<SeriesRow[]> {
    const { from, to, bucketSeconds, level } = plan;
    const { entityId = null, jobId = null, workerQueueId = null } = filter;
    const rolledUp = (entityId === null ? 4 : 0) + (jobId === null ? 2 : 0) + (workerQueueId === null ? 1 : 0);
    const values = [organizationId, level, from, to, bucketSeconds, rolledUp, entityId, jobId, workerQueueId];
    return this.database.sql<SeriesRow>(FIND_SERIES, values);
  }
}
