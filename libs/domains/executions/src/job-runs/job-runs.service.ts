import type { PageResult, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { JobCounts, JobRun } from '../executions/execution.types.js';
import { JobRunsRepository } from './job-runs.repository.js';

const NO_RUNS: JobCounts = {
  total: 0,
  successful: 0,
  failed: 0,
  cancelled: 0,
  lastExecutionId: null,
  lastExecutionAt: null,
};

/** Number of runs in the `execution_history` of a job. `list` returns all runs. */
const HISTORY_LENGTH = 10;

/** The runs of jobs: history, counters and lists of the executions they started. */
@Injectable()
export class JobRunsService {
  constructor(private readonly runs: JobRunsRepository) {}

  /** Returns the 10 newest runs of each job, newest first. Every job has an entry. */
  async newestByJobIds(scope: Scope, jobIds: readonly string[]): Promise<ReadonlyMap<string, readonly JobRun[]>> {
    const histories = new Map<string, JobRun[]>(jobIds.map((jobId) => [jobId, []]));
    if (jobIds.length === 0) return histories;
    for (const run of await this.runs.findNewestByJobIds(scope, jobIds, HISTORY_LENGTH))
      histories.get(run.job_id)?.push(run);
    return histories;
  }

  /** Returns the counters of each job. Every job has an entry. */
  async countsOf(scope: Scope, jobIds: readonly string[]): Promise<ReadonlyMap<string, JobCounts>> {
    const counts = new Map(jobIds.map((jobId) => [jobId, NO_RUNS]));
    if (jobIds.length === 0) return counts;
    for (const { jobId, ...jobCounts } of await this.runs.countsOf(scope, jobIds)) counts.set(jobId, jobCounts);
    return counts;
  }

  /** Returns a page of the runs of one job, newest first. */
  async list(scope: Scope, jobId: string, page: Page): Promise<PageResult<JobRun>> {
    return this.runs.list(scope, jobId, page);
  }

  /** Returns whether a run that the job's schedule started has not ended. */
  async hasOpenScheduledRun(scope: Scope, jobId: string): Promise<boolean> {
    return this.runs.hasOpenScheduledRun(scope, jobId);
  }
}
