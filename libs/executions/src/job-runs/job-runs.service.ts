import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { JobCounts, JobRun } from '../executions/execution.types.js';
import { JobRunsRepository } from './job-runs.repository.js';

const NONE: JobCounts = {
  total: 0,
  successful: 0,
  failed: 0,
  cancelled: 0,
  lastExecutionId: null,
  lastExecutionAt: null,
};

/** What a job's `execution_history` holds; the rest is listed page by page. */
const HISTORY_LENGTH = 10;

/** What jobs ask about the executions they started. */
@Injectable()
export class JobRunsService {
  constructor(private readonly runs: JobRunsRepository) {}

  /** The newest runs of each job, newest first, as many as its history shows; every job has an entry. */
  async historyOf(scope: Scope, jobIds: readonly string[]): Promise<ReadonlyMap<string, readonly JobRun[]>> {
    const histories = new Map<string, JobRun[]>(jobIds.map((jobId) => [jobId, []]));
    if (jobIds.length === 0) return histories;
    for (const run of await this.runs.newestOf(scope, jobIds, HISTORY_LENGTH)) histories.get(run.job_id)?.push(run);
    return histories;
  }

  /** Every job has an entry. */
  async countsOf(scope: Scope, jobIds: readonly string[]): Promise<ReadonlyMap<string, JobCounts>> {
    const counts = new Map(jobIds.map((jobId) => [jobId, NONE]));
    if (jobIds.length === 0) return counts;
    for (const { jobId, ...found } of await this.runs.countsOf(scope, jobIds)) counts.set(jobId, found);
    return counts;
  }

  /** All runs of one job, newest first. */
  async list(scope: Scope, jobId: string, page: Page): Promise<Listed<JobRun>> {
    return this.runs.list(scope, jobId, page);
  }
}
