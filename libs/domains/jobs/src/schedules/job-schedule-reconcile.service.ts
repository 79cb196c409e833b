import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { nextExecutionAt } from './job-schedule.js';
import { JobSchedulers } from './job-schedulers.js';
import { JobRepository } from '../jobs/job.repository.js';
import type { ScheduledJob } from '../jobs/job.types.js';

/** Number of jobs that are compared with their schedulers in one step. */
const BATCH = 100;

/**
 * Compares jobs with their schedulers: one batch per run, in the order of their ids, or all jobs at once if there are
 * fewer schedulers than jobs, because then Redis has lost its data. Removes schedulers without a job.
 */
@Injectable()
export class JobScheduleReconcileService {
  private readonly logger = createLogger('jobs');
  /** The last job of the previous run. */
  private after = '';

  constructor(
    private readonly jobs: JobRepository,
    private readonly schedulers: JobSchedulers,
    private readonly clock: Clock,
  ) {}

  async reconcile(signal: AbortSignal): Promise<void> {
    const lost = (await this.jobs.countScheduled()) - (await this.schedulers.count());
    if (lost > 0) {
      this.logger.warn({ lost }, 'schedulers lost, restoring them');
      this.after = '';
    }
    if (lost < 0) {
      await this.removeStale(signal).catch((error: unknown) => {
        this.logger.error({ err: error }, 'removing schedulers without a job failed');
      });
    }
    await this.compareBatch();
    if (lost > 0) while (this.after !== '' && !signal.aborted) await this.compareBatch();
  }

  /**
   * Removes schedulers without a job. They exist if an older state of Redis was restored, or if two processes handled
   * changes of a job concurrently.
   */
  private async removeStale(signal: AbortSignal): Promise<void> {
    const stale: string[] = [];
    for (let start = 0; !signal.aborted; start += BATCH) {
      const ids = await this.schedulers.ids(start, BATCH);
      const scheduled = await this.jobs.scheduledAmong(ids);
      stale.push(...ids.filter((id) => !scheduled.has(id)));
      if (ids.length < BATCH) break;
    }
    this.logger.warn({ schedulers: stale.length }, 'removing schedulers without a job');
    for (const id of stale) await this.schedulers.remove(id);
  }

  private async compareBatch(): Promise<void> {
    const batch = await this.jobs.findScheduled(this.after, BATCH);
    for (const job of batch) {
      await this.compare(job).catch((error: unknown) => {
        this.logger.error({ err: error, job_id: job.id }, 'scheduler not compared');
      });
    }
    this.after = batch.length < BATCH ? '' : (batch.at(-1)?.id ?? '');
  }

  private async compare(job: ScheduledJob): Promise<void> {
    const now = this.clock.now();
    if (!(await this.schedulers.isSet(job, now))) await this.schedulers.set(job);
    // If the stored time is later than the next instant, it was computed by a clock that was ahead.
    const next = nextExecutionAt(job, now);
    const { next_execution_at: stored } = job;
    if (next === null || stored === null || stored <= next) return;
    const moved = await this.jobs.moveBack(job.id, stored, next);
    if (moved)
      this.logger.warn(
        { job_id: job.id, stored, next },
        'next time of a schedule moved back, because a clock was ahead',
      );
  }
}
