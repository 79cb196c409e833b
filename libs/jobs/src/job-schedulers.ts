import { dispatchQueue } from '@app/dispatch';
import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { ScheduledJob } from './job.types.js';

export const JOB_SCHEDULES = 'job-schedules';
export const jobSchedulesQueue = dispatchQueue(JOB_SCHEDULES);

/** What a scheduler delivers at each instant of its job. */
export interface Alarm {
  readonly jobId: string;
}

/** A scheduler whose next alarm is overdue by more than this has lost it. */
const LOST_AFTER_MS = 60_000;

/**
 * The BullMQ job schedulers, one per enabled cron job; its id is `engine_schedule_id`. A scheduler is an alarm clock only:
 * PostgreSQL decides what is due, so a lost, doubled or wrong alarm costs seconds at most.
 */
@Injectable()
export class JobSchedulers {
  constructor(@InjectQueue(JOB_SCHEDULES) private readonly queue: Queue<Alarm>) {
    // BullMQ prints errors without a listener; `QueueProcessors` logs them, but only from the start of the application on.
    queue.on('error', () => undefined);
  }

  /** Creates or replaces the scheduler of a job. Idempotent. Rejects while Redis is unreachable. */
  async set({ id, cron_schedule, cron_timezone }: ScheduledJob): Promise<void> {
    if (cron_schedule === null) return;
    const repeat = { pattern: cron_schedule.trim(), tz: cron_timezone };
    await this.queue.upsertJobScheduler(id, repeat, { name: 'fire', data: { jobId: id } });
  }

  /** Does nothing if there is none. */
  async remove(jobId: string): Promise<void> {
    await this.queue.removeJobScheduler(jobId);
  }

  /** A page of the ids of all schedulers. */
  async ids(start: number, limit: number): Promise<string[]> {
    return (await this.queue.getJobSchedulers(start, start + limit - 1)).map(({ key }) => key);
  }

  async count(): Promise<number> {
    return this.queue.getJobSchedulersCount();
  }

  /** Returns whether the scheduler of the job has the job's schedule and a next alarm. */
  async isSet({ id, cron_schedule, cron_timezone }: ScheduledJob, now: Date): Promise<boolean> {
    const scheduler = await this.queue.getJobScheduler(id);
    if (scheduler?.pattern !== cron_schedule?.trim() || scheduler?.tz !== cron_timezone) return false;
    return (scheduler?.next ?? 0) > now.getTime() - LOST_AFTER_MS;
  }
}
