import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { ControlPlaneConfig, loadConfig } from '@app/config';
import { EnvironmentProvisioner } from '@app/environments';
import { ExecutionsModule, JobRunsService, RunnablesModule, RunnableSources } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { JobService, JobsModule, JobTriggerService, type CreateJob } from '@app/jobs';
import type { Caller } from '@app/kernel';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, eventually, ManualClock, statementsOf, testCaller, type TestContext } from '@app/testing';
import { HttpAdapterHost } from '@nestjs/core';
import { CronExpressionParser } from 'cron-parser';
import { PublicAddress } from '../public-address/public-address.js';
import { JobPresenter } from './job.presenter.js';

const FIRST_PAGE = { skip: 0, limit: 100 };
const manual: CreateJob = { name: 'j', trigger_type: 'manual', prompt_template: 'Do it', entity_id: 'a' };

describe('JobPresenter', () => {
  const clock = new ManualClock(new Date('2026-03-28T12:00:00.000Z'));
  let context: TestContext;
  let jobs: JobService;
  let agents: AgentService;
  let presenter: JobPresenter;

  beforeAll(async () => {
    const domains = [AgentsModule, TeamsModule, ExecutionsModule, RunnablesModule, JobsModule];
    context = await createTestContext([OpenGateModule, ...domains], { clock });
    jobs = context.get(JobService);
    agents = context.get(AgentService);
    const config = loadConfig(ControlPlaneConfig, { PUBLIC_URL: 'https://control.test' });
    const address = new PublicAddress(config, new HttpAdapterHost(), { maxConnections: 0 });
    presenter = new JobPresenter(context.get(JobRunsService), context.get(RunnableSources), address);
  });

  afterAll(() => context.close());

  it('returns the current name of the entity', async () => {
    const caller = testCaller();
    const agent = await agents.create(caller, { name: 'writer' });
    const job = await jobs.create(caller, { ...manual, entity_id: agent.id });
    expect(await presenter.one(caller, job)).toMatchObject({ entity_name: 'writer', entity_type: null });
    await agents.update(caller, agent.id, { name: 'author' });
    expect((await presenter.one(caller, job)).entity_name).toBe('author');
    await jobs.update(caller, job.id, { enabled: false });
    await agents.delete(caller, agent.id);
    expect((await presenter.one(caller, job)).entity_name).toBeNull();
    const team = await context.get(TeamService).create(caller, { name: 'crew' });
    const ofTeam = await jobs.update(caller, job.id, { planning_mode: 'predefined_team', entity_id: team.id });
    expect((await presenter.one(caller, ofTeam)).entity_name).toBe('crew');
    const ofWorkflow = await jobs.update(caller, job.id, { planning_mode: 'predefined_workflow' });
    expect((await presenter.one(caller, ofWorkflow)).entity_name).toBeNull();
  });

  it('returns the counters, the last execution and the newest runs', async () => {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const { id: entity_id } = await agents.create(caller, { name: 'writer' });
    const job = await jobs.create(caller, { ...manual, entity_id });
    expect(await presenter.one(caller, job)).toMatchObject({ total_executions: 0, execution_history: [] });
    const { execution } = await context.get(JobTriggerService).trigger(caller, job.id, {});
    expect(await presenter.one(caller, job)).toMatchObject({
      total_executions: 1,
      last_execution_id: execution.id,
      last_execution_at: clock.now().toISOString(),
      execution_history: [{ execution_id: execution.id, status: 'pending', trigger_type: 'manual' }],
    });
  });

  it('returns the next execution time of an enabled cron job', async () => {
    const caller = testCaller();
    const schedule = { cron_schedule: '30 2 * * *', cron_timezone: 'Europe/Berlin' };
    const job = await jobs.create(caller, { ...manual, ...schedule, trigger_type: 'cron' });
    const due = { status: 'active', next_execution_at: '2026-03-30T00:30:00.000Z' };
    expect(await presenter.one(caller, job)).toMatchObject(due);
    const paused = await jobs.update(caller, job.id, { enabled: false });
    expect(await presenter.one(caller, paused)).toMatchObject({ status: 'paused', next_execution_at: null });
  });

  it('computes no schedule to list a thousand jobs whose next time is far away', async () => {
    const caller = testCaller();
    const schedule = { trigger_type: 'cron', cron_schedule: '* * * * 2 1#5' } as const;
    const computed = jest.spyOn(CronExpressionParser, 'parse');
    const first = await jobs.create(caller, { ...manual, ...schedule });
    expect(computed).toHaveBeenCalled();
    // Copies, because each creation computes the schedule, which takes milliseconds.
    await context.database.sql(
      `INSERT INTO jobs SELECT (json_populate_record(job, json_build_object('id', job.id || n))).*
       FROM jobs job, generate_series(1, 999) n WHERE job.id = $1`,
      [first.id],
    );
    computed.mockClear();
    const page = await jobs.list(caller, {}, { skip: 0, limit: 1000 });
    const { items: listed } = await presenter.page(caller, page);
    expect(computed).not.toHaveBeenCalled();
    computed.mockRestore();
    const next_execution_at = first.next_execution_at?.toISOString();
    expect(next_execution_at).toEqual(expect.any(String));
    expect(listed.filter((job) => job.next_execution_at === next_execution_at)).toHaveLength(1000);
  });

  it('returns the webhook URL, and its secret only to those who may start runs of its user', async () => {
    const caller = testCaller({ scopes: ['tasks:execute'] });
    const job = await jobs.create(caller, { ...manual, trigger_type: 'webhook' });
    const { webhook_url, webhook_secret } = await presenter.one(caller, job);
    expect(webhook_url).toBe(`https://control.test/api/v1/jobs/webhook/${job.webhook_token}`);
    expect(webhook_secret).toBe(job.webhook_secret);
    const secretFor = async (other: Partial<Caller>) =>
      (await presenter.one({ ...caller, ...other }, job)).webhook_secret;
    expect(await secretFor({ scopes: ['tasks:read'] })).toBeNull();
    expect(await secretFor({ userId: 'another' })).toBeNull();
    expect(await secretFor({ userId: 'another', scopes: ['admin'] })).toBe(job.webhook_secret);
  });

  it('needs a fixed number of statements for any number of jobs', async () => {
    const caller = testCaller();
    // Repeated, because statements that something else in this process sends meanwhile are counted as well.
    const expectStatements = async (count: number): Promise<void> => {
      const listed = await jobs.list(caller, {}, FIRST_PAGE);
      await eventually(async () => {
        expect(await statementsOf(() => presenter.page(caller, listed))).toHaveLength(count);
      });
    };
    await jobs.create(caller, manual);
    await expectStatements(3);
    for (let n = 0; n < 10; n += 1) await jobs.create(caller, { ...manual, entity_id: `a${n}` });
    await expectStatements(3);
    await jobs.create(caller, { ...manual, planning_mode: 'predefined_team' });
    await expectStatements(4);
  });
});
