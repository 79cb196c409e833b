import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AgentService } from '@app/agents';
import { OpenGateModule } from '@app/executions';
import { DomainError, type Page } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { JobTriggerService } from './job-trigger.service.js';
import { JobService } from './job.service.js';
import type { CreateJob } from './job.types.js';
import { JobsModule } from './jobs.module.js';

const everything: Page = { skip: 0, limit: 100 };
const manual: CreateJob = { name: 'j', trigger_type: 'manual', prompt_template: 'Do it', entity_id: 'a' };

describe('stored jobs', () => {
  const clock = new ManualClock(new Date('2026-03-28T12:00:00.000Z'));
  let context: TestContext;
  let jobs: JobService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, JobsModule], { clock });
    jobs = context.get(JobService);
  });

  afterAll(() => context.close());

  const faultsOf = async (work: Promise<unknown>): Promise<string[]> => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof DomainError)) throw new Error(`no refusal: ${String(error)}`);
    return error.faults.map(({ loc, type }) => `${loc.join('.')}: ${type}`);
  };

  it('keep every field exactly as it was sent, and say who made them', async () => {
    const caller = testCaller({ userEmail: 'maker@acme.test' });
    const fields: CreateJob = {
      name: ' Nightly ',
      trigger_type: 'cron',
      prompt_template: 'Hello {{ name }}\n',
      description: 'd',
      enabled: false,
      cron_schedule: ' 0  9 * * MON ',
      cron_timezone: 'europe/BERLIN',
      planning_mode: 'predefined_team',
      entity_type: 'team',
      entity_id: 't',
      system_prompt: 's',
      executor_type: 'specific_queue',
      worker_queue_name: 'gpu',
      environment_name: 'prod',
      config: { z: 1, a: { y: null } },
      execution_environment: { secrets: ['S'], env_vars: { A: '1' } },
    };
    const created = await jobs.create(caller, fields);
    expect(created).toMatchObject({
      ...fields,
      id: expect.stringMatching(/^job_[0-9a-f-]{36}$/),
      status: 'paused',
      engine_schedule_id: null,
      webhook_token: null,
      webhook_secret: null,
      created_by: caller.userId,
      created_by_email: caller.userEmail,
      updated_by: caller.userId,
    });
    const read = await jobs.read(caller, created.id);
    expect(read).toEqual(created);
    expect(JSON.stringify(read.config)).toBe(JSON.stringify(fields.config));
  });

  it('bring no commands of those who may not write agents', async () => {
    const caller = testCaller({ scopes: ['tasks:execute'] });
    const request = { name: 'j', trigger_type: 'manual', prompt_template: 'p', planning_mode: 'on_the_fly' } as const;
    const execution_environment = { mcp_servers: { shell: { command: '/bin/sh' } } };
    const refused = { code: 'insufficient_scope' };
    await expect(jobs.create(caller, { ...request, execution_environment })).rejects.toMatchObject(refused);
    const { id } = await jobs.create(caller, request);
    await expect(jobs.update(caller, id, { execution_environment })).rejects.toMatchObject(refused);
  });

  it('say when a schedule comes due next, as long as they are enabled', async () => {
    const caller = testCaller();
    const schedule = { cron_schedule: '30 2 * * *', cron_timezone: 'Europe/Berlin' };
    const job = await jobs.create(caller, { ...manual, ...schedule, trigger_type: 'cron' });
    expect(job.next_execution_at?.toISOString()).toBe('2026-03-30T00:30:00.000Z');
    expect((await jobs.update(caller, job.id, { enabled: false })).next_execution_at).toBeNull();
    expect((await jobs.create(caller, { ...manual, ...schedule })).next_execution_at).toBeNull();
  });

  it('have a webhook exactly while that is their trigger', async () => {
    const caller = testCaller();
    const { id, webhook_token, webhook_secret } = await jobs.create(caller, { ...manual, trigger_type: 'webhook' });
    expect(webhook_token).toMatch(/^\w{32,}$/);
    expect(await jobs.update(caller, id, { name: 'k' })).toMatchObject({ webhook_token, webhook_secret });
    const off = await jobs.update(caller, id, { trigger_type: 'manual' });
    expect(off).toMatchObject({ webhook_token: null, webhook_secret: null });
    const on = await jobs.update(caller, id, { trigger_type: 'webhook' });
    expect(on.webhook_token).not.toBe(webhook_token);
    expect(on.webhook_secret).toMatch(/^whsec_/);
  });

  it('change partially: what is absent stays, null clears, and who did it is noted', async () => {
    const maker = testCaller();
    const editor = testCaller({ organizationId: maker.organizationId, userEmail: 'editor@acme.test' });
    const before = await jobs.create(maker, { ...manual, description: 'd', system_prompt: 's' });
    clock.advance(1000);
    const after = await jobs.update(editor, before.id, { description: null });
    expect(after).toEqual({
      ...before,
      description: null,
      updated_by: editor.userId,
      updated_by_email: editor.userEmail,
      updated_at: clock.now(),
    });
  });

  it('are held to their rules as they are after an update, and stay as they were when refused', async () => {
    const caller = testCaller();
    const { id } = await jobs.create(caller, manual);
    const changes = { trigger_type: 'cron', executor_type: 'environment', entity_id: null } as const;
    expect(await faultsOf(jobs.update(caller, id, changes))).toEqual([
      'body.cron_schedule: missing',
      'body.entity_id: missing',
      'body.environment_name: missing',
    ]);
    expect(await faultsOf(jobs.create(caller, { ...manual, cron_timezone: 'Mars/Olympus' }))).toEqual([
      'body.cron_timezone: value_error',
    ]);
    expect((await jobs.read(caller, id)).trigger_type).toBe('manual');
  });

  it('refuse one of two updates at once that only together break a rule', async () => {
    const caller = testCaller();
    for (let round = 0; round < 10; round += 1) {
      const { id } = await jobs.create(caller, { ...manual, planning_mode: 'on_the_fly' });
      const outcomes = await Promise.allSettled([
        jobs.update(caller, id, { planning_mode: 'predefined_agent' }),
        jobs.update(caller, id, { entity_id: null }),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  it('are listed newest first, filtered by what they are, with the size of the whole list', async () => {
    const caller = testCaller();
    for (const [name, more] of [
      ['one', {}],
      ['two', { enabled: false }],
      ['three', { trigger_type: 'webhook', entity_id: 'b' }],
    ] as const) {
      await jobs.create(caller, { ...manual, ...more, name });
      clock.advance(1);
    }
    const names = async (filter: Parameters<JobService['list']>[1], page = everything): Promise<string[]> =>
      (await jobs.list(caller, filter, page)).items.map(({ name }) => name);
    expect(await names({})).toEqual(['three', 'two', 'one']);
    expect(await names({}, { skip: 1, limit: 1 })).toEqual(['two']);
    expect(await names({ enabled: true })).toEqual(['three', 'one']);
    expect(await names({ status: 'paused' })).toEqual(['two']);
    expect(await names({ status: 'paused', enabled: true })).toEqual([]);
    expect(await names({ trigger_type: 'webhook' })).toEqual(['three']);
    expect(await names({ entity_id: 'a' })).toEqual(['two', 'one']);
    expect((await jobs.list(caller, {}, { skip: 0, limit: 1 })).total).toBe(3);
  });

  it('are listed with a fixed number of statements, however many there are', async () => {
    const caller = testCaller();
    const asked = [jest.spyOn(context.database, 'sql'), jest.spyOn(context.database, 'prepared')];
    const statements = async (): Promise<number> => {
      for (const spy of asked) spy.mockClear();
      await jobs.list(caller, {}, everything);
      return asked.reduce((count, spy) => count + spy.mock.calls.length, 0);
    };
    await jobs.create(caller, manual);
    const few = await statements();
    for (let n = 0; n < 9; n += 1) await jobs.create(caller, { ...manual, entity_id: `a${n}` });
    expect(await statements()).toBe(few);
    expect(few).toBeGreaterThan(0);
    jest.restoreAllMocks();
  });

  it('show the name their agent has now', async () => {
    const caller = testCaller();
    const agents = context.get(AgentService);
    const agent = await agents.create(caller, { name: 'writer' });
    const { id, entity_name, entity_type } = await jobs.create(caller, { ...manual, entity_id: agent.id });
    expect([entity_name, entity_type]).toEqual(['writer', null]);
    await agents.update(caller, agent.id, { name: 'author' });
    expect((await jobs.read(caller, id)).entity_name).toBe('author');
    await agents.delete(caller, agent.id);
    expect((await jobs.read(caller, id)).entity_name).toBeNull();
  });

  it('are invisible, unchangeable and undeletable from another organisation', async () => {
    const { id } = await jobs.create(testCaller(), { ...manual, trigger_type: 'webhook' });
    const stranger = testCaller();
    const triggers = context.get(JobTriggerService);
    for (const attempt of [
      jobs.read(stranger, id),
      jobs.update(stranger, id, { name: 'taken' }),
      jobs.rotateWebhookSecret(stranger, id),
      jobs.delete(stranger, id),
      jobs.history(stranger, id, everything),
      triggers.trigger(stranger, id, {}),
    ]) {
      await expect(attempt).rejects.toThrow('Job not found');
    }
    expect((await jobs.list(stranger, {}, everything)).total).toBe(0);
  });
});
