import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner } from '@app/environments';
import { ExecutionService, JobRunsService, type JobRun } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { UserService } from '@app/identity';
import { getRequired, type Caller } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { JobFiringService } from './job-firing.service.js';
import { JobInstantRepository } from './job-instant.repository.js';
import { JobInstantService } from './job-instant.service.js';
import { JobService } from '../jobs/job.service.js';
import { JobsModule } from '../jobs.module.js';
import type { CreateJob, Job } from '../jobs/job.types.js';

const MINUTE = 60_000;
const START = new Date('2026-01-01T00:00:30.000Z');
const modules = [OpenGateModule, AgentsModule, TeamsModule, JobsModule];

describe('the instants of a schedule', () => {
  let clock: ManualClock;
  let context: TestContext;
  /** The context of a second process. */
  let other: TestContext;
  let caller: Caller;
  let agentId: string;

  beforeAll(async () => {
    clock = new ManualClock(START);
    context = await createTestContext(modules, { clock });
    other = await createTestContext(modules, { clock, shareWith: context });
  });
  beforeEach(async () => {
    const { organizationId } = testCaller();
    const { id: userId } = await context.get(UserService).create({ organizationId }, { name: 'Ada', email: null });
    caller = testCaller({ organizationId, userId });
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    agentId = (await context.get(AgentService).create(caller, { name: 'writer' })).id;
    // Each test starts half a minute after a full minute.
    clock.advance(MINUTE - ((clock.millis() - START.getTime()) % MINUTE));
  });
  // Otherwise the jobs of all earlier tests would fire in each test.
  afterEach(() => context.database.sql('DELETE FROM jobs'));
  afterAll(async () => {
    await other.close();
    await context.close();
  });

  const newJob = (fields: Partial<CreateJob> = {}): Promise<Job> =>
    context.get(JobService).create(caller, {
      ...{ name: 'j', trigger_type: 'cron', prompt_template: 'Go', entity_id: agentId },
      ...{ cron_schedule: '* * * * *', ...fields },
    });
  const change = (job: Job, changes: Partial<CreateJob>): Promise<Job> =>
    context.get(JobService).update(caller, job.id, changes);

  /** Runs the periodic task of a dispatcher. */
  async function dispatch(by: TestContext = context): Promise<void> {
    await by.get(JobInstantService).recordDue(100);
    while ((await by.get(JobFiringService).startDue(10)) > 0);
  }

  /** Returns the runs of the job, oldest first. */
  async function runsOf(job: Job): Promise<JobRun[]> {
    const { items } = await context.get(JobRunsService).list(caller, job.id, { skip: 0, limit: 1000 });
    return items.toReversed();
  }
  const scheduledAt = (run: JobRun): string => String(run.trigger_metadata['scheduled_at']);
  const instantsOf = async (job: Job): Promise<string[]> => (await runsOf(job)).map(scheduledAt).sort();
  /** Returns the time `after` minutes after the last full minute. */
  const minute = (after: number): string =>
    new Date((Math.floor(clock.millis() / MINUTE) + after) * MINUTE).toISOString();
  const nextOf = async (job: Job): Promise<string | undefined> =>
    (await context.get(JobService).read(caller, job.id)).next_execution_at?.toISOString();
  const end = async (run: JobRun | undefined): Promise<void> => {
    const service = context.get(ExecutionService);
    await service.patch(caller, run?.execution_id ?? '', { status: 'completed' }, null);
  };

  it('each start one execution for the user of the job, with the instant in its history', async () => {
    const job = await newJob();
    await dispatch();
    expect(await runsOf(job)).toEqual([]);
    clock.advance(MINUTE / 2);
    await dispatch();
    await dispatch();
    const [run, ...others] = await runsOf(job);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      trigger_type: 'cron',
      status: 'pending',
      trigger_metadata: { scheduled_at: minute(0) },
    });
    expect(await context.get(ExecutionService).read(caller, run?.execution_id ?? '')).toMatchObject({
      prompt: 'Go',
      user_id: caller.userId,
      user_name: 'Ada',
      job_id: job.id,
      entity_id: agentId,
    });
    expect(await nextOf(job)).toBe(minute(1));
    const counts = getRequired(await context.get(JobRunsService).countsOf(caller, [job.id]), job.id);
    expect(counts).toMatchObject({ total: 1, lastExecutionId: run?.execution_id, lastExecutionAt: clock.now() });
  });

  it('are failed executions if their session is busy and they must not wait, and wait otherwise', async () => {
    const job = await newJob({ config: { session_id: 's', multitask: 'reject' } });
    for (let instant = 0; instant < 2; instant += 1) {
      clock.advance(MINUTE);
      await dispatch();
    }
    await change(job, { config: { session_id: 's' } });
    clock.advance(MINUTE);
    await dispatch();
    const runs = await runsOf(job);
    expect(runs.map(({ status }) => status)).toEqual(['pending', 'failed', 'pending']);
    expect(runs[1]?.error_message).toContain(runs[0]?.execution_id);
  });

  it('are started once by several dispatchers, for many jobs at a time', async () => {
    const jobs = await Promise.all(Array.from({ length: 40 }, () => newJob()));
    clock.advance(MINUTE);
    const firing = (by: TestContext) => async (job: Job) => {
      const recorded = await by.get(JobInstantService).recordDueOf(job.id, clock.now());
      for (const instant of recorded) await by.get(JobFiringService).start(instant);
    };
    await Promise.all([...jobs.map(firing(context)), dispatch(), dispatch(other), ...jobs.map(firing(other))]);
    await dispatch();
    for (const job of jobs) expect(await instantsOf(job)).toEqual([minute(0)]);
  });

  it('are started by another dispatcher if the first one dies after recording the instant', async () => {
    const job = await newJob();
    clock.advance(MINUTE);
    expect(await context.get(JobInstantService).recordDueOf(job.id, new Date(clock.millis() + 3000))).toHaveLength(1);
    await dispatch(other);
    expect(await runsOf(job)).toEqual([]);
    clock.advance(3000);
    await dispatch(other);
    expect(await instantsOf(job)).toEqual([minute(0)]);
  });

  it('are started late if they are within the catch-up window, and reported as missed if they are older', async () => {
    const [usual, patient] = [await newJob(), await newJob({ config: { catchup_window_seconds: 240 } })];
    const none = await newJob({ config: { catchup_window_seconds: 0 } });
    clock.advance(5 * MINUTE + 1);
    await dispatch();
    expect(await instantsOf(usual)).toEqual([minute(-4), minute(0)]);
    const [failed, ...others] = (await runsOf(usual)).toSorted((one, next) => (one.status < next.status ? -1 : 1));
    expect([failed?.status, ...others.map(({ status }) => status)]).toEqual(['failed', 'pending']);
    expect(failed?.error_message).toContain(`Missed: no dispatcher started the runs from ${minute(-4)}`);
    expect(await instantsOf(patient)).toEqual([-4, -3, -2, -1, 0].map(minute));
    expect((await runsOf(patient)).filter(({ status }) => status === 'failed')).toHaveLength(1);
    expect(await instantsOf(none)).toEqual([minute(-4)]);
    expect(await nextOf(usual)).toBe(minute(1));
  });

  it('that were due before a change are started, however the schedule changes', async () => {
    const jobs = [await newJob(), await newJob(), await newJob(), await newJob()] as const;
    clock.advance(MINUTE);
    const [disabled, edited, retyped, renamed] = jobs;
    await change(disabled, { enabled: false });
    await change(edited, { cron_schedule: '*/5 * * * *' });
    await change(retyped, { trigger_type: 'manual' });
    await change(renamed, { name: 'other', prompt_template: 'Now' });
    await dispatch();
    for (const job of jobs) expect(await instantsOf(job)).toEqual([minute(0)]);
    expect(await nextOf(disabled)).toBeUndefined();
    expect(await nextOf(renamed)).toBe(minute(1));
    clock.advance(MINUTE);
    await dispatch();
    for (const job of [disabled, retyped]) expect(await instantsOf(job)).toHaveLength(1);
    expect(await instantsOf(renamed)).toHaveLength(2);
  });

  it('do not become due while the job is disabled', async () => {
    const job = await newJob();
    await change(job, { enabled: false });
    clock.advance(3 * MINUTE);
    await change(job, { enabled: true });
    await dispatch();
    expect(await runsOf(job)).toEqual([]);
    clock.advance(MINUTE);
    await dispatch();
    expect(await instantsOf(job)).toEqual([minute(0)]);
  });

  it('are not started again by a process whose clock is behind', async () => {
    const job = await newJob();
    clock.advance(MINUTE);
    await dispatch();
    clock.advance(-MINUTE);
    await change(job, { enabled: false });
    await change(job, { enabled: true });
    expect(await nextOf(job)).toBe(minute(1));
    clock.advance(MINUTE);
    await dispatch();
    expect(await instantsOf(job)).toEqual([minute(0)]);
    expect(await nextOf(job)).toBe(minute(1));
  });

  it('are skipped with `overlap` `skip` while a run has not ended', async () => {
    const job = await newJob({ config: { overlap: 'skip' } });
    for (let n = 0; n < 3; n += 1) {
      clock.advance(MINUTE);
      await dispatch();
    }
    expect(await instantsOf(job)).toEqual([minute(-2)]);
    await end((await runsOf(job))[0]);
    clock.advance(MINUTE);
    await dispatch();
    expect(await instantsOf(job)).toEqual([minute(-3), minute(0)]);
  });

  it('wait with `overlap` `queue` for the end of the previous run, in order', async () => {
    const job = await newJob({ config: { overlap: 'queue' } });
    for (let n = 0; n < 3; n += 1) {
      clock.advance(MINUTE);
      await dispatch();
    }
    const first = minute(-2);
    expect(await instantsOf(job)).toEqual([first]);
    for (const expected of [2, 3]) {
      await end((await runsOf(job)).at(-1));
      clock.advance(2000);
      await dispatch(other);
      await dispatch();
      expect(await instantsOf(job)).toHaveLength(expected);
    }
    expect((await runsOf(job)).map(scheduledAt)).toEqual([first, minute(-1), minute(0)]);
  });

  it('that wait for hours have no failed attempts', async () => {
    const job = await newJob({ config: { overlap: 'queue' } });
    for (let n = 0; n < 2; n += 1) {
      clock.advance(MINUTE);
      await dispatch();
    }
    for (let n = 0; n < 10; n += 1) {
      clock.advance(2000);
      await dispatch();
    }
    const sql = "SELECT attempts FROM job_instants WHERE job_id = $1 AND state = 'queued'";
    expect(await context.database.sql(sql, [job.id])).toEqual([{ attempts: 0 }]);
  });

  it('count as on time for some seconds, even with a shorter catch-up window', async () => {
    const job = await newJob({ config: { catchup_window_seconds: 0 } });
    clock.advance(MINUTE / 2 + 9000);
    await dispatch();
    expect(await runsOf(job)).toMatchObject([{ status: 'pending', trigger_metadata: { scheduled_at: minute(0) } }]);
  });

  it('that wait are dropped when the job is disabled, and started when runs may overlap', async () => {
    const [disabled, allowed] = [
      await newJob({ config: { overlap: 'queue' } }),
      await newJob({ config: { overlap: 'queue' } }),
    ];
    for (let n = 0; n < 3; n += 1) {
      clock.advance(MINUTE);
      await dispatch();
    }
    await change(disabled, { enabled: false });
    await change(allowed, { config: {} });
    clock.advance(2000);
    await dispatch();
    expect(await instantsOf(disabled)).toHaveLength(1);
    expect(await instantsOf(allowed)).toEqual([-2, -1, 0].map(minute));
  });

  it('create a failed execution that names what is missing', async () => {
    const job = await newJob({ entity_id: 'nobody' });
    clock.advance(MINUTE);
    await dispatch();
    expect(await runsOf(job)).toMatchObject([{ status: 'failed', error_message: 'There is no agent nobody' }]);
  });

  it('create a failed execution while the user of the job is suspended', async () => {
    const job = await newJob();
    await context.get(UserService).setStatus(caller, caller.userId, 'suspended');
    clock.advance(MINUTE);
    await dispatch();
    const error_message = 'The user for whom the job runs is suspended: Ada';
    expect(await runsOf(job)).toMatchObject([{ status: 'failed', error_message }]);
    await context.get(UserService).setStatus(caller, caller.userId, 'active');
    clock.advance(MINUTE);
    await dispatch();
    expect((await runsOf(job)).map(({ status }) => status)).toEqual(['failed', 'pending']);
  });

  it('have in their facts who changed the agent of the job, unless it was the user of the job', async () => {
    const bob = testCaller({ organizationId: caller.organizationId, userEmail: 'bob@acme.test' });
    const job = await newJob();
    for (const editor of [bob, caller]) {
      const { updated_at } = await context.get(AgentService).update(editor, agentId, { system_prompt: 'Obey' });
      clock.advance(MINUTE);
      await dispatch();
      const { execution_id } = (await runsOf(job)).at(-1) ?? { execution_id: '' };
      const { user_id, execution_metadata } = await context.get(ExecutionService).read(caller, execution_id);
      const change = {
        entity_changed_by: bob.userId,
        entity_changed_by_email: 'bob@acme.test',
        entity_changed_at: updated_at.toISOString(),
        entity_changed_type: 'agent',
        entity_changed_id: agentId,
      };
      const facts = { job_id: job.id, job_name: 'j', trigger_type: 'cron', parameters: {} };
      expect([user_id, execution_metadata]).toEqual([caller.userId, editor === bob ? { ...facts, ...change } : facts]);
    }
  });

  it('of many jobs of one organization delay those of another organization by at most a batch', async () => {
    // More than a batch.
    const many = await Promise.all(Array.from({ length: 60 }, () => newJob()));
    clock.advance(1000);
    const organization = testCaller();
    const { organizationId } = organization;
    const { id: userId } = await context.get(UserService).create({ organizationId }, { name: 'Bob', email: null });
    const neighbor = testCaller({ organizationId, userId });
    const fields = { name: 'n', trigger_type: 'cron', prompt_template: 'Go', entity_id: 'nobody' } as const;
    const job = await context.get(JobService).create(neighbor, { ...fields, cron_schedule: '* * * * *' });
    clock.advance(MINUTE - 1000);

    expect(await context.get(JobInstantService).recordDue(40)).toBe(40);
    const recorded = await context.database.sql('SELECT 1 AS one FROM job_instants WHERE job_id = $1', [job.id]);
    expect(recorded).toHaveLength(1);
    while ((await context.get(JobInstantService).recordDue(40)) > 0);
    expect(await context.get(JobFiringService).startDue(40)).toBe(40);
    const list = { skip: 0, limit: 10 };
    expect((await context.get(JobRunsService).list(neighbor, job.id, list)).items).toHaveLength(1);
    await dispatch();
    for (const one of many) expect(await instantsOf(one)).toEqual([minute(0)]);
  });

  it('are deleted a day after their time, not earlier, unless they are still queued', async () => {
    const job = await newJob({ config: { overlap: 'queue' } });
    clock.advance(MINUTE);
    await dispatch();
    clock.advance(MINUTE);
    await dispatch();
    const states = async (): Promise<unknown[]> => {
      const query = 'SELECT state FROM job_instants WHERE job_id = $1 ORDER BY instant';
      return (await context.database.sql<{ state: string }>(query, [job.id])).map(({ state }) => state);
    };
    // The other tests leave many instants.
    const prune = async (after: number): Promise<void> => {
      const before = new Date(clock.millis() - after);
      while ((await context.get(JobInstantRepository).prune(before, 1000)) > 0);
    };
    expect(await states()).toEqual(['started', 'queued']);
    await prune(24 * 60 * MINUTE);
    expect(await states()).toEqual(['started', 'queued']);
    await prune(0);
    expect(await states()).toEqual(['queued']);
  });

  it('are deleted with their job, whose executions remain', async () => {
    const job = await newJob();
    clock.advance(MINUTE);
    await context.get(JobInstantService).recordDueOf(job.id, clock.now());
    await context.get(JobService).delete(caller, job.id);
    await dispatch();
    const rows = await context.database.sql('SELECT 1 AS one FROM job_instants WHERE job_id = $1', [job.id]);
    expect([rows, await runsOf(job)]).toEqual([[], []]);
  });
});
