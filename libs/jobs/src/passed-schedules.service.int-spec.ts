import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentsModule } from '@app/agents';
import { OpenGateModule } from '@app/executions';
import type { Caller } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, statementsOf, testCaller, type TestContext } from '@app/testing';
import { JobService } from './job.service.js';
import type { CreateJob, Job } from './job.types.js';
import { JobsModule } from './jobs.module.js';
import { PassedSchedulesService } from './passed-schedules.service.js';

const hourly: CreateJob = {
  name: 'j',
  trigger_type: 'cron',
  prompt_template: 'Do it',
  entity_id: 'a',
  cron_schedule: '0 * * * *',
};

describe('the next time of a schedule', () => {
  const clock = new ManualClock(new Date('2026-01-01T00:30:00.000Z'));
  let context: TestContext;
  let jobs: JobService;
  let schedules: PassedSchedulesService;
  let caller: Caller;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule, TeamsModule, JobsModule], { clock });
    jobs = context.get(JobService);
    schedules = context.get(PassedSchedulesService);
  });
  beforeEach(() => {
    caller = testCaller();
  });
  afterAll(() => context.close());

  const move = (): Promise<void> => schedules.move(new AbortController().signal);
  const nextOf = async ({ id }: Job): Promise<string | undefined> =>
    (await jobs.read(caller, id)).next_execution_at?.toISOString();
  const inHours = (hours: number): string => {
    const hour = 3_600_000;
    return new Date((Math.floor(clock.millis() / hour) + hours) * hour).toISOString();
  };

  it('is stored when the job is created, changed, disabled and enabled', async () => {
    const job = await jobs.create(caller, hourly);
    expect(await nextOf(job)).toBe(inHours(1));
    await jobs.update(caller, job.id, { cron_schedule: '0 */2 * * *', name: 'other' });
    expect(await nextOf(job)).toMatch(/T(0[02468]|1[02468]|2[02]):00/);
    await jobs.update(caller, job.id, { enabled: false });
    expect(await nextOf(job)).toBeUndefined();
    await jobs.update(caller, job.id, { enabled: true, cron_schedule: '0 * * * *' });
    expect(await nextOf(job)).toBe(inHours(1));
    await jobs.update(caller, job.id, { trigger_type: 'manual' });
    expect(await nextOf(job)).toBeUndefined();
    expect((await jobs.create(caller, { ...hourly, enabled: false })).next_execution_at).toBeNull();
  });

  it('is moved on after it has passed, and leaves the time of the change of the job', async () => {
    const [job, paused] = [await jobs.create(caller, hourly), await jobs.create(caller, hourly)];
    await jobs.update(caller, paused.id, { enabled: false });
    await move();
    expect(await nextOf(job)).toBe(inHours(1));
    clock.advance(2 * 3_600_000);
    await move();
    expect(await nextOf(job)).toBe(inHours(1));
    expect((await jobs.read(caller, job.id)).updated_at).toEqual(job.updated_at);
    expect(await nextOf(paused)).toBeUndefined();
  });

  it('is moved on for any number of jobs, by several dispatchers at a time', async () => {
    const created = await Promise.all(Array.from({ length: 120 }, () => jobs.create(caller, hourly)));
    clock.advance(3_600_000);
    await Promise.all([move(), move(), move()]);
    for (const job of created) expect(await nextOf(job)).toBe(inHours(1));
    expect(await statementsOf(move)).toEqual(['jobs.find_passed']);
  });

  it('is not computed by a list', async () => {
    await jobs.create(caller, hourly);
    clock.advance(7_200_000);
    const { items } = await jobs.list(caller, {}, { skip: 0, limit: 10 });
    const passed = items.filter(({ next_execution_at: next }) => next !== null && next < clock.now());
    expect(passed).toHaveLength(1);
  });
});
