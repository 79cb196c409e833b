import { dispatchQueue } from '@app/dispatch';
import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { ScheduledJob } from '../jobs/job.types.js';
import { withoutShorthand } from './cron-expression.js';

export const JOB_SCHEDULES = 'job-schedules';
export const jobSchedulesQueue = dispatchQueue(JOB_SCHEDULES);

/** The message that a scheduler adds to the queue at each instant of its job, to wake a dispatcher. */
export interface WakeUp {
  readonly jobId: string;
}

/** If the next wake-up of a scheduler is overdue by more than this, Redis has lost the wake-up. */
const LOST_AFTER_MS = 60_000;

/**
 * The job schedulers of BullMQ: one for each enabled cron job, with the id `engine_schedule_id`. A scheduler only wakes
 * a dispatcher, which reads from PostgreSQL what is due. A lost, duplicate or wrong wake-up therefore causes a delay of
 * seconds at most.
 */
@Injectable()
export class JobSchedulers {
  constructor(@InjectQueue(JOB_SCHEDULES) private readonly queue: Queue<WakeUp>) {}

  /** Creates or replaces the scheduler of a job. Idempotent. Rejects while Redis is unreachable. */
  async set({ id, cron_schedule, cron_timezone }: ScheduledJob): Promise<void> {
    if (cron_schedule === null) return;
    const repeat = { pattern: withoutShorthand(cron_schedule), tz: cron_timezone };
    await this.queue.upsertJobScheduler(id, repeat, { name: 'fire', data: { jobId: id } });
  }

  /** Removes the scheduler of a job, if there is one. */
  async remove(jobId: string): Promise<void> {
    await this.queue.removeJobScheduler(jobId);
  }

  /** Returns a page of the ids of all schedulers. */
  async ids(start: number, limit: number): Promise<string[]> {
    return (await this.queue.getJobSchedulers(start, start + limit - 1)).map(({ key }) => key);
  }

  async count(): Promise<number> {
    return this.queue.getJobSchedulersCount();
  }

  /** Returns whether the scheduler of the job has the job's schedule and a next wake-up. */
  async isSet({ id, cron_schedule, cron_timezone }: ScheduledJob, now: Date): Promise<boolean> {
    const scheduler = await this.queue.getJobScheduler(id);
    if (cron_schedule === null || scheduler?.pattern !== withoutShorthand(cron_schedule)) return false;
    if (scheduler.tz !== cron_timezone) return false;
    return (scheduler.next ?? 0) > now.getTime() - LOST_AFTER_MS;
  }
}
