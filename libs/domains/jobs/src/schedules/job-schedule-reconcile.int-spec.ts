import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentsModule } from '@app/agents';
import { RedisConnections } from '@app/redis';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, eventually, ManualClock, testCaller, type TestContext } from '@app/testing';
import { getQueueToken } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { JobInstantService } from '../firing/job-instant.service.js';
import { JobScheduleReconcileService } from './job-schedule-reconcile.service.js';
import { JOB_SCHEDULES } from './job-schedulers.js';
import { JobService } from '../jobs/job.service.js';
import { JobsModule } from '../jobs.module.js';
import type { CreateJob, Job } from '../jobs/job.types.js';

/** Has neither the processor nor the tasks of a dispatcher, so that only the test changes the schedulers. */
@Module({ imports: [JobsModule], providers: [JobScheduleReconcileService] })
class ReconcileModule {}

describe('the schedulers of jobs', () => {
  const clock = new ManualClock(new Date('2026-01-01T00:00:30.000Z'));
  let context: TestContext;
  let queue: Queue;
  let caller: Caller;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule, TeamsModule, ReconcileModule], { clock });
    queue = context.app.get<Queue>(getQueueToken(JOB_SCHEDULES), { strict: false });
    caller = testCaller();
  });
  beforeEach(async () => {
    await context.database.sql('DELETE FROM jobs');
    await context.get(RedisConnections).commands.flushdb();
  });
  afterAll(() => context.close());

  const newJob = (fields: Partial<CreateJob> = {}): Promise<Job> =>
    context.get(JobService).create(caller, {
      ...{ name: 'j', trigger_type: 'cron', prompt_template: 'Go', entity_id: 'a' },
      ...{ cron_schedule: '0 9 * * *', cron_timezone: 'Europe/Berlin', ...fields },
    });
  const change = (job: Job, changes: Partial<CreateJob>): Promise<Job> =>
    context.get(JobService).update(caller, job.id, changes);
  const reconcile = (): Promise<void> =>
    context.get(JobScheduleReconcileService).reconcile(new AbortController().signal);
  const schedulers = async (): Promise<string[]> =>
    (await queue.getJobSchedulers()).map(({ key, pattern, tz }) => `${key} ${pattern} ${tz}`).sort();
  const expectSchedulers = (...expected: string[]): Promise<void> =>
    eventually(async () => expect(await schedulers()).toEqual(expected.sort()));

  it('follow the changes of their jobs', async () => {
    const job = await newJob();
    await newJob({ trigger_type: 'manual' });
    expect(job.engine_schedule_id).toBe(job.id);
    await expectSchedulers(`${job.id} 0 9 * * * Europe/Berlin`);
    await change(job, { cron_schedule: ' 30 9 * * * ', cron_timezone: 'Asia/Tokyo' });
    await expectSchedulers(`${job.id} 30 9 * * * Asia/Tokyo`);
    expect((await change(job, { cron_schedule: '@midnight' })).cron_schedule).toBe('@midnight');
    await expectSchedulers(`${job.id} 0 0 * * * Asia/Tokyo`);
    await reconcile();
    await change(job, { cron_schedule: '30 9 * * *' });
    await expectSchedulers(`${job.id} 30 9 * * * Asia/Tokyo`);
    expect((await change(job, { enabled: false })).engine_schedule_id).toBeNull();
    await expectSchedulers();
    await change(job, { enabled: true });
    await expectSchedulers(`${job.id} 30 9 * * * Asia/Tokyo`);
    await context.get(JobService).delete(caller, job.id);
    await expectSchedulers();
  });

  it('are all restored after Redis lost them', async () => {
    const jobs = await Promise.all(Array.from({ length: 120 }, () => newJob()));
    const expected = jobs.map(({ id }) => `${id} 0 9 * * * Europe/Berlin`);
    await expectSchedulers(...expected);
    await context.get(RedisConnections).commands.flushdb();
    await reconcile();
    expect(await schedulers()).toEqual(expected.sort());
  });

  it('are replaced if they have another schedule, and removed without a job', async () => {
    const job = await newJob();
    await expectSchedulers(`${job.id} 0 9 * * * Europe/Berlin`);
    await queue.upsertJobScheduler(job.id, { pattern: '0 0 * * *', tz: 'UTC' }, { name: 'fire', data: {} });
    await queue.upsertJobScheduler('job_gone', { pattern: '0 0 * * *', tz: 'UTC' }, { name: 'fire', data: {} });
    await reconcile();
    expect(await schedulers()).toEqual([`${job.id} 0 9 * * * Europe/Berlin`]);
  });

  it('are compared even if schedulers without a job cannot be removed', async () => {
    const job = await newJob();
    await expectSchedulers(`${job.id} 0 9 * * * Europe/Berlin`);
    await queue.upsertJobScheduler('job_gone', { pattern: '0 0 * * *', tz: 'UTC' }, { name: 'fire', data: {} });
    await queue.upsertJobScheduler(job.id, { pattern: '0 0 * * *', tz: 'UTC' }, { name: 'fire', data: {} });
    // Creates an entry of a scheduler that cannot be read.
    const { commands } = context.get(RedisConnections);
    const [entry = ''] = await commands.keys('*:repeat:job_gone');
    await commands.multi().del(entry).set(entry, 'not a hash').exec();
    await expect(queue.getJobSchedulers()).rejects.toThrow('WRONGTYPE');
    await reconcile();
    expect((await queue.getJobScheduler(job.id))?.pattern).toBe('0 9 * * *');
  });

  describe('have a next time', () => {
    let job: Job;
    const nextOf = async (): Promise<string | undefined> =>
      (await context.get(JobService).read(caller, job.id)).next_execution_at?.toISOString();

    beforeEach(async () => {
      // This is later than the time of the database, which decides whether a next time has passed.
      clock.advance(Date.parse('2050-01-01T00:00:30.000Z') - clock.millis());
      job = await newJob({ cron_schedule: '* * * * *' });
      await expectSchedulers(`${job.id} * * * * * Europe/Berlin`);
      clock.advance(3_600_000);
      await context.get(JobInstantService).recordDue(10);
      expect(await nextOf()).toBe('2050-01-01T01:01:00.000Z');
    });

    it('that is moved back if it was computed by a clock that was ahead', async () => {
      clock.advance(-3_600_000);
      await reconcile();
      expect(await nextOf()).toBe('2050-01-01T00:01:00.000Z');
    });

    it('that is not moved back by a clock that is behind', async () => {
      clock.advance(Date.parse('2020-01-01T00:00:30.000Z') - clock.millis());
      await reconcile();
      expect(await nextOf()).toBe('2050-01-01T01:01:00.000Z');
    });
  });
});
