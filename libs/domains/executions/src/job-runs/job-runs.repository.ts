import { Database } from '@app/database';
import type { Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { duration } from '../executions/execution-duration.sql.js';
import { ExecutionEntity } from '../executions/execution.entity.js';
import type { JobCounts, JobRun } from '../executions/execution.types.js';
import { COUNT_RUNS, FIND_NEWEST_RUNS, FIND_OPEN_SCHEDULED_RUN } from './job-runs.sql.js';

/** The columns that have the same name in a `JobRun`. */
const SHARED_COLUMNS = [
  ...(['job_id', 'trigger_type', 'status', 'created_at', 'started_at', 'completed_at', 'error_message'] as const),
  'trigger_metadata',
] as const satisfies (keyof JobRun & keyof ExecutionEntity)[];

type CountedJob = JobCounts & { readonly jobId: string };

/** Reads executions as runs of the jobs that started them. */
@Injectable()
export class JobRunsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the newest runs of each job, newest first. */
  async findNewestByJobIds({ organizationId }: Scope, jobIds: readonly string[], limit: number): Promise<JobRun[]> {
    const values = [organizationId, jobIds, limit];
    return this.database.boundedRows<JobRun>(jobIds.length, { text: FIND_NEWEST_RUNS, values });
  }

  /**
   * Newest first. The total is read from the counters of the job instead of counted, because a job can have any number
   * of runs.
   */
  async list(scope: Scope, jobId: string, page: Page): Promise<PageResult<JobRun>> {
    const query = this.database
      .select(ExecutionEntity, 'execution', { organization_id: scope.organizationId, job_id: jobId })
      .select(SHARED_COLUMNS.map((column) => `execution.${column}`))
      .addSelect('execution.id', 'execution_id')
      .addSelect(duration('execution'), 'duration_ms')
      .orderBy('execution.created_at', 'DESC');
    const total = async (): Promise<number> => (await this.countsOf(scope, [jobId]))[0]?.total ?? 0;
    return this.database.listPage<ExecutionEntity, JobRun>(query, page, total);
  }

  /** Omits jobs without an execution. */
  async countsOf({ organizationId }: Scope, jobIds: readonly string[]): Promise<CountedJob[]> {
    return this.database.sql<CountedJob>(COUNT_RUNS, [organizationId, jobIds]);
  }

  /** Returns whether a run that the job's schedule started has not ended. */
  async hasOpenScheduledRun({ organizationId }: Scope, jobId: string): Promise<boolean> {
    return (await this.database.prepared(FIND_OPEN_SCHEDULED_RUN, [organizationId, jobId])).length > 0;
  }
}
