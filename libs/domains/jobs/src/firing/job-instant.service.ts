import { setImmediate as nextTurn } from 'node:timers/promises';
import { Database } from '@app/database';
import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { JobInstantRepository, type NewInstant } from './job-instant.repository.js';
import type { JobInstant } from './job-instant.types.js';
import { dueInstants } from '../schedules/job-schedule.js';
import { JobRepository } from '../jobs/job.repository.js';
import type { ScheduledJob } from '../jobs/job.types.js';
import { catchupWindowMs } from '../schedules/schedule-settings.js';

/**
 * Records the instants of schedules whose time has come. Recording an instant and moving `next_execution_at` past it
 * commit together while the job is locked, so no instant is lost or recorded twice, even if the job is changed
 * concurrently.
 */
@Injectable()
export class JobInstantService {
  private readonly logger = createLogger('jobs');

  constructor(
    private readonly jobs: JobRepository,
    private readonly instants: JobInstantRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Records the instants of up to `limit` due jobs, of all organizations in turn. Returns how many jobs were due. */
  async recordDue(limit: number): Promise<number> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const due = await this.jobs.lockDue(now, limit);
      if (due.length > 0) await this.record(due, now, now);
      return due.length;
    });
  }

  /** Records the instants of one job if it is due and returns them; no dispatcher takes them before `dueAt`. */
  async recordDueOf(jobId: string, dueAt: Date): Promise<JobInstant[]> {
    // When many jobs are due, the periodic task has recorded most of them before their wake-ups arrive. Such a wake-up
    // costs one statement and no transaction.
    if (!(await this.jobs.isDue(this.clock.now(), jobId))) return [];
    return this.database.transaction(async () => {
      const now = this.clock.now();
      return this.record(await this.jobs.lockIfDue(now, jobId), now, dueAt);
    });
  }

  /**
   * Records the due instants of a job that the caller has locked and is about to change: an instant whose time came
   * while the job was enabled is started, however the schedule changes.
   */
  async recordBeforeChange(job: ScheduledJob): Promise<void> {
    const now = this.clock.now();
    for (let next = job.next_execution_at; next !== null && next <= now;) {
      const left = { ...job, next_execution_at: next };
      await this.record([left], now, now);
      next = instantsOf(left, now).next;
    }
  }

  /** Skips all instants of a job that wait for the end of a run. */
  async skipQueued(jobId: string): Promise<void> {
    await this.instants.skipQueued(jobId);
  }

  private async record(jobs: readonly ScheduledJob[], now: Date, dueAt: Date): Promise<JobInstant[]> {
    const came: NewInstant[] = [];
    const moves: { id: string; next: Date | null }[] = [];
    for (const job of jobs) {
      const { instants, next } = instantsOf(job, now);
      came.push(...instants);
      moves.push({ id: job.id, next });
      const missed = instants.find(({ state }) => state === 'missed');
      if (missed !== undefined) this.logger.warn({ job_id: job.id, from: missed.instant }, 'instants missed');
      // Computing a rare schedule takes 15 ms, so requests are served between two jobs.
      if (jobs.length > 1) await nextTurn();
    }
    if (moves.length === 0) return [];
    await this.jobs.moveNext(moves);
    return came.length === 0 ? [] : this.instants.record(came, dueAt);
  }
}

function instantsOf(job: ScheduledJob, now: Date): { readonly instants: NewInstant[]; readonly next: Date | null } {
  const { missed, due, next } = dueInstants(job, now, catchupWindowMs(job.config));
  const { id: job_id, organization_id } = job;
  const ofState = (state: NewInstant['state']) => (instant: Date) => ({ job_id, organization_id, instant, state });
  return { instants: [...(missed === null ? [] : [missed].map(ofState('missed'))), ...due.map(ofState('due'))], next };
}
