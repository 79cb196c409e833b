import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner, EnvironmentService } from '@app/environments';
import { OpenGateModule } from '@app/executions/testing';
import { DomainError, type Caller, type JsonObject, type Page } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { JobTriggerService } from '../triggers/job-trigger.service.js';
import { JobService } from './job.service.js';
import type { CreateJob } from './job.types.js';
import { JobsModule } from '../jobs.module.js';

const FIRST_PAGE: Page = { skip: 0, limit: 100 };
const manual: CreateJob = { name: 'j', trigger_type: 'manual', prompt_template: 'Do it', entity_id: 'a' };

describe('JobService', () => {
  const clock = new ManualClock(new Date('2026-03-28T12:00:00.000Z'));
  let context: TestContext;
  let jobs: JobService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule, TeamsModule, JobsModule], { clock });
    jobs = context.get(JobService);
  });

  afterAll(() => context.close());

  const faultsOf = async (work: Promise<unknown>): Promise<string[]> => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof DomainError)) throw new Error(`not rejected: ${String(error)}`);
    return error.faults.map(({ path, type }) => `${path.join('.')}: ${type}`);
  };

  it('stores every field unchanged, and the creator', async () => {
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

  it('rejects commands in an execution environment from callers without the scope agents:write', async () => {
    const caller = testCaller({ scopes: ['tasks:execute'] });
    const request = { name: 'j', trigger_type: 'manual', prompt_template: 'p', planning_mode: 'on_the_fly' } as const;
    const execution_environment = { mcp_servers: { shell: { command: '/bin/sh' } } };
    const refused = { code: 'insufficient_scope' };
    await expect(jobs.create(caller, { ...request, execution_environment })).rejects.toMatchObject(refused);
    const { id } = await jobs.create(caller, request);
    await expect(jobs.update(caller, id, { execution_environment })).rejects.toMatchObject(refused);
  });

  describe('the variables of a job stored without agents:write', () => {
    const env = (env_vars: JsonObject) => ({ execution_environment: { env_vars } });

    async function newAgent(): Promise<{ caller: Caller; starter: Caller; request: CreateJob }> {
      const caller = testCaller();
      await context.get(EnvironmentProvisioner).provisionDefaults(caller);
      const agent = { name: 'writer', ...env({ API_URL: 'https://api.example' }) };
      const { id: entity_id } = await context.get(AgentService).create(caller, agent);
      return { caller, starter: { ...caller, scopes: ['tasks:execute'] }, request: { ...manual, entity_id } };
    }

    it('can be new, but must not be variables of its agent or environment', async () => {
      const { caller, starter, request } = await newAgent();
      const stored = await jobs.create(starter, { ...request, ...env({ TICKET: '7' }) });
      const taken = { code: 'insufficient_scope', message: expect.stringContaining('sets the variable API_URL') };
      await expect(jobs.create(starter, { ...request, ...env({ API_URL: 'x' }) })).rejects.toMatchObject(taken);
      await expect(jobs.update(starter, stored.id, env({ API_URL: 'x' }))).rejects.toMatchObject(taken);
      await expect(jobs.create(caller, { ...request, ...env({ API_URL: 'x' }) })).resolves.toMatchObject({
        may_override_environment: true,
      });
      await context.get(EnvironmentService).update(caller, 'default', env({ REGION: 'eu' }));
      const region = jobs.update(starter, stored.id, env({ REGION: 'us' }));
      await expect(region).rejects.toThrow('sets the variable REGION');
    });

    it('fail the run if the agent sets one of them when the job fires', async () => {
      const { caller, starter, request } = await newAgent();
      const { id } = await jobs.create(starter, { ...request, ...env({ TICKET: '7' }) });
      const fire = async () => (await context.get(JobTriggerService).trigger(caller, id, {})).execution;
      expect(await fire()).toMatchObject({ status: 'pending' });
      await context.get(AgentService).update(caller, request.entity_id ?? '', env({ TICKET: 'own' }));
      const error_message = expect.stringContaining('sets the variable TICKET');
      expect(await fire()).toMatchObject({ status: 'failed', error_message });
      await jobs.update(caller, id, env({ TICKET: '7' }));
      expect(await fire()).toMatchObject({ status: 'pending' });
    });

    it('keep the rights of the key that stored them until they change', async () => {
      const { caller, starter, request } = await newAgent();
      const execution_environment = { env_vars: { API_URL: 'x' } };
      const { id } = await jobs.create(caller, { ...request, execution_environment });
      const resent = { name: 'k', execution_environment };
      expect(await jobs.update(starter, id, resent)).toMatchObject({ name: 'k', may_override_environment: true });
      expect(await jobs.update(starter, id, env({ TICKET: '7' }))).toMatchObject({ may_override_environment: false });
    });

    it('prevent another key from changing what runs with them', async () => {
      const { caller, starter, request } = await newAgent();
      const execution_environment = { mcp_servers: { a: { url: 'http://a' } } };
      const { id } = await jobs.create(caller, { ...request, execution_environment });
      const webhook = { trigger_type: 'webhook' } as const;
      for (const changes of [{ prompt_template: 'Mine' }, { entity_id: 'another' }, { config: { a: 1 } }, webhook]) {
        await expect(jobs.update(starter, id, changes)).rejects.toMatchObject({ code: 'insufficient_scope' });
      }
      const changed = await jobs.update(caller, id, { prompt_template: 'Ours' });
      expect(changed).toMatchObject({ prompt_template: 'Ours', may_override_environment: true });
    });
  });

  it.each<[string, JsonObject, string]>([
    ['the names of the values that are redacted', { secrets: ['TOKEN'] }, 'execution_environment.secrets'],
    ['references to secrets', { env_vars: { TOKEN: 'secret:T' } }, 'the variable TOKEN'],
    ['MCP servers', { mcp_servers: { a: { url: 'http://a' } } }, 'execution_environment.mcp_servers'],
  ])(
    'keeps %s when a key without agents:write replaces the environment',
    async (_what, execution_environment, named) => {
      const caller = testCaller();
      const starter = { ...caller, scopes: ['tasks:execute'] as const };
      const { id } = await jobs.create(caller, { ...manual, execution_environment });
      for (const replaced of [{}, { secrets: [] }, { env_vars: { TICKET: '7' } }]) {
        await expect(jobs.update(starter, id, { execution_environment: replaced })).rejects.toMatchObject({
          ...{ code: 'insufficient_scope', message: expect.stringContaining(named) },
        });
      }
      expect(await jobs.read(caller, id)).toMatchObject({ execution_environment });
      await jobs.update(caller, id, { execution_environment: {} });
      expect(await jobs.read(caller, id)).toMatchObject({ execution_environment: {} });
    },
  );

  it('has a webhook exactly while the trigger type is webhook', async () => {
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

  it('runs for the user who last changed what it runs or how it starts', async () => {
    const maker = testCaller();
    const { id } = await jobs.create(maker, manual);
    const editor = testCaller({ organizationId: maker.organizationId, userEmail: 'editor@acme.test' });
    expect(await jobs.update(editor, id, { name: 'k', enabled: false })).toMatchObject({ runs_as: maker.userId });
    const schedule = { trigger_type: 'cron', cron_schedule: '0 9 * * *' } as const;
    const ofEditor = { runs_as: editor.userId, runs_as_email: 'editor@acme.test' };
    expect(await jobs.update(editor, id, schedule)).toMatchObject(ofEditor);
    expect(await jobs.update(maker, id, { cron_schedule: '0 10 * * *' })).toMatchObject(ofEditor);
    expect(await jobs.update(maker, id, { trigger_type: 'webhook' })).toMatchObject({ runs_as: maker.userId });
  });

  it('updates the given fields and records the editor; null clears a field', async () => {
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

  it('checks the rules on the updated job and rejects invalid updates without a change', async () => {
    const caller = testCaller();
    const { id } = await jobs.create(caller, manual);
    const changes = { trigger_type: 'cron', executor_type: 'environment', entity_id: null } as const;
    expect(await faultsOf(jobs.update(caller, id, changes))).toEqual([
      'cron_schedule: missing',
      'entity_id: missing',
      'environment_name: missing',
    ]);
    expect(await faultsOf(jobs.create(caller, { ...manual, cron_timezone: 'Mars/Olympus' }))).toEqual([
      'cron_timezone: value_error',
    ]);
    expect((await jobs.read(caller, id)).trigger_type).toBe('manual');
  });

  it('rejects one of two concurrent updates that only together break a rule', async () => {
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

  it('lists jobs newest first, by page and filter, with the total', async () => {
    const caller = testCaller();
    for (const [name, more] of [
      ['one', {}],
      ['two', { enabled: false }],
      ['three', { trigger_type: 'webhook', entity_id: 'b' }],
    ] as const) {
      await jobs.create(caller, { ...manual, ...more, name });
      clock.advance(1);
    }
    const names = async (filter: Parameters<JobService['list']>[1], page = FIRST_PAGE): Promise<string[]> =>
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

  it('rejects every access to a job of another organization', async () => {
    const { id } = await jobs.create(testCaller(), { ...manual, trigger_type: 'webhook' });
    const stranger = testCaller();
    const triggers = context.get(JobTriggerService);
    for (const attempt of [
      jobs.read(stranger, id),
      jobs.update(stranger, id, { name: 'taken' }),
      jobs.rotateWebhookSecret(stranger, id),
      jobs.delete(stranger, id),
      triggers.trigger(stranger, id, {}),
    ]) {
      await expect(attempt).rejects.toThrow('Job not found');
    }
    expect((await jobs.list(stranger, {}, FIRST_PAGE)).total).toBe(0);
  });
});
