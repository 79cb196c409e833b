import { Database } from '@app/database';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { JobCounts, JobRun } from '../executions/execution.types.js';

/** Whole milliseconds. Clients may write both moments: they lie in any order, and further apart than 32 bits count. */
const MEASURED = `CASE WHEN e.completed_at < e.started_at THEN 0
  ELSE round(extract(epoch FROM e.completed_at - e.started_at) * 1000) END::double precision`;

const RUN = `e.job_id, e.id AS execution_id, e.trigger_type, e.status, e.created_at, e.started_at, e.completed_at,
  coalesce(e.duration_ms, ${MEASURED}) AS duration_ms, e.error_message, e.trigger_metadata`;

/** Executions as the history of the jobs that started them. */
@Injectable()
export class JobRunsRepository {
  constructor(private readonly database: Database) {}

  /** The newest runs of each job, newest first. */
  async newestOf(scope: Scope, jobIds: readonly string[], limit: number): Promise<JobRun[]> {
    return this.database.page<JobRun>(
      { limit: jobIds.length },
      `SELECT run.* FROM unnest($2::text[]) AS job (id) CROSS JOIN LATERAL (
         SELECT ${RUN} FROM executions e WHERE e.organization_id = $1 AND e.job_id = job.id
         ORDER BY e.created_at DESC, e.id DESC LIMIT $3
       ) run`,
      [scope.organizationId, jobIds, limit],
    );
  }

  async list(scope: Scope, jobId: string, page: Page): Promise<Listed<JobRun>> {
    const [items, counted] = await Promise.all([
      this.database.page<JobRun>(
        page,
        `SELECT ${RUN} FROM executions e WHERE e.organization_id = $1 AND e.job_id = $2
         ORDER BY e.created_at DESC, e.id DESC OFFSET $3 LIMIT $4`,
        [scope.organizationId, jobId, page.skip, page.limit],
      ),
      this.countsOf(scope, [jobId]),
    ]);
    return { items, total: counted[0]?.total ?? 0 };
  }

  async countsOf(scope: Scope, jobIds: readonly string[]): Promise<(JobCounts & { readonly jobId: string })[]> {
    return this.database.sql<JobCounts & { readonly jobId: string }>(
      `SELECT counts.job_id AS "jobId", sum(counts.total)::integer AS total,
         sum(counts.successful)::integer AS successful, sum(counts.failed)::integer AS failed,
         sum(counts.cancelled)::integer AS cancelled,
         last.id AS "lastExecutionId", last.created_at AS "lastExecutionAt"
       FROM execution_counts counts CROSS JOIN LATERAL (
         SELECT e.id, e.created_at FROM executions e
         WHERE e.organization_id = counts.organization_id AND e.job_id = counts.job_id
         ORDER BY e.created_at DESC, e.id DESC LIMIT 1
       ) last
       WHERE counts.organization_id = $1 AND counts.job_id = ANY($2)
       GROUP BY counts.job_id, last.id, last.created_at`,
      [scope.organizationId, jobIds],
    );
  }
}
