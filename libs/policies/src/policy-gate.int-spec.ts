import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService } from '@app/agents';
import { EnvironmentService, WorkerQueueService } from '@app/environments';
import { ExecutionService, type Execution, type ExecutionOrigin } from '@app/executions';
import { newId, type Caller } from '@app/kernel';
import { TeamService } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { PoliciesModule } from './policies.module.js';
import { PolicyAssociationService } from './policy-association.service.js';
import { BOUNDS } from './policy-bounds.js';
import { PolicyDecisionService } from './policy-decision.service.js';
import type { PolicyDecisionSummary } from './policy-decision.types.js';
import { PolicyReplayService } from './policy-replay.service.js';
import { PolicyService } from './policy.service.js';
import type { PolicyEntityType } from './policy.types.js';

const everything = { skip: 0, limit: 100 };
const DENIES = 'package guard\n\nviolations contains sprintf("not %s", [input.execution.prompt])';
const ALLOWS = 'package guard\n\nallow if input.action == "execute"';

describe('executions before policies', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let decisions: PolicyDecisionService;
  let policies: PolicyService;

  beforeAll(async () => {
    context = await createTestContext([PoliciesModule], { clock });
    executions = context.get(ExecutionService);
    decisions = context.get(PolicyDecisionService);
    policies = context.get(PolicyService);
  });

  afterAll(() => context.close());

  interface Setting {
    readonly caller: Caller;
    readonly environmentId: string;
    readonly queueId: string;
    readonly agentId: string;
  }

  async function newSetting(): Promise<Setting> {
    const caller = testCaller({ userEmail: 'ada@acme.test' });
    const environments = context.get(EnvironmentService);
    await environments.provisionDefaults(caller);
    const environmentId = (await environments.read(caller, 'default')).id;
    const { items } = await context.get(WorkerQueueService).listIn(caller, 'default', everything);
    const agent = await context.get(AgentService).create(caller, { name: 'writer' });
    return { caller, environmentId, queueId: items[0]?.id ?? '', agentId: agent.id };
  }

  async function guard(caller: Caller, type: PolicyEntityType, id: string, policy_content: string): Promise<string> {
    const policy = await policies.create(caller, { name: 'guard', policy_content });
    const association = { entity_type: type, entity_id: id, policy_id: policy.id };
    await context.get(PolicyAssociationService).create(caller, association);
    return policy.id;
  }

  const originOf = ({ caller, agentId }: Setting, fields: Partial<ExecutionOrigin> = {}): ExecutionOrigin => ({
    executionType: 'agent',
    entityId: agentId,
    entityName: 'writer',
    prompt: 'Write',
    user: caller,
    triggerType: 'api',
    ...fields,
  });

  const start = (setting: Setting, fields: Partial<ExecutionOrigin> = {}): Promise<Execution> =>
    executions.start(setting.caller, {
      ...originOf(setting, fields),
      place: { workerQueueId: setting.queueId, environmentId: setting.environmentId },
    });

  const decided = async (caller: Caller): Promise<readonly PolicyDecisionSummary[]> =>
    (await decisions.list(caller, {}, everything)).items;

  const started = async (caller: Caller): Promise<number> => (await executions.list(caller, {}, everything)).total;

  it('start where no policy applies, and nothing is decided', async () => {
    const setting = await newSetting();
    await policies.create(setting.caller, { name: 'of nobody', policy_content: DENIES });
    expect(await start(setting)).toMatchObject({ status: 'pending', worker_queue_id: setting.queueId });
    expect(await decided(setting.caller)).toEqual([]);
  });

  it('start where every policy allows, which is recorded with all they were asked', async () => {
    const setting = await newSetting();
    const { caller, agentId, queueId, environmentId } = setting;
    const policyId = await guard(caller, 'agent', agentId, ALLOWS);
    const execution = await start(setting, {
      jobId: 'job_1',
      config: { deep: [1] },
      executionEnvironment: { TOKEN: 't' },
    });
    expect(execution).toMatchObject({ status: 'pending', error_message: null, worker_queue_id: queueId });
    const [summary] = await decided(caller);
    const { input, ...decision } = await decisions.read(caller, summary?.id ?? '');
    expect(decision).toMatchObject({
      kind: 'execution',
      action: 'execute',
      entity_type: 'agent',
      entity_id: agentId,
      allowed: true,
      violations: [],
      policies: [
        { policy_id: policyId, version: 1, allowed: true, source: { entity_type: 'agent', entity_id: agentId } },
      ],
      execution_id: execution.id,
      user_id: caller.userId,
      user_email: 'ada@acme.test',
      key_id: null,
      at: clock.now(),
    });
    expect(input).toEqual({
      action: 'execute',
      entity: { type: 'agent', id: agentId, name: 'writer' },
      execution: {
        ...{ id: execution.id, type: 'agent', entity_id: agentId, prompt: 'Write', system_prompt: null },
        ...{ trigger_type: 'api', trigger_metadata: {}, job_id: 'job_1', parent_execution_id: null },
        ...{ worker_queue_id: queueId, environment_id: environmentId, metadata: {}, config: { deep: [1] } },
      },
      user: { id: caller.userId, email: 'ada@acme.test', name: 'Tester' },
    });
  });

  it('that are denied are failed at once, say why, and are put on no queue', async () => {
    const setting = await newSetting();
    await guard(setting.caller, 'agent', setting.agentId, DENIES);
    const execution = await start(setting);
    const failed = {
      status: 'failed',
      error_message: 'Denied by policy "guard" (version 1): not Write',
      worker_queue_id: null,
      started_at: null,
      completed_at: clock.now(),
    };
    expect(execution).toMatchObject(failed);
    expect(await executions.read(setting.caller, execution.id)).toMatchObject(failed);
    expect(await decided(setting.caller)).toMatchObject([{ allowed: false, execution_id: execution.id }]);
    const queued = await context.database.sql('SELECT queued_at FROM executions WHERE id = $1', [execution.id]);
    expect(queued).toEqual([{ queued_at: null }]);
  });

  it('are told of each policy that denies, and only of those', async () => {
    const setting = await newSetting();
    const { caller, agentId, environmentId } = setting;
    await guard(caller, 'environment', environmentId, 'package a\n\nallow := false');
    await guard(caller, 'agent', agentId, ALLOWS);
    await guard(caller, 'agent', agentId, 'package a\n\ndeny := ["b", "a"]');
    expect((await start(setting)).error_message).toBe(
      'Denied by policy "guard" (version 1): does not allow it\nDenied by policy "guard" (version 1): b; a',
    );
  });

  it.each(['environment', 'team', 'agent'] as const)('are denied by a policy of their %s', async (level) => {
    const setting = await newSetting();
    const { caller, agentId } = setting;
    const elsewhere = await context.get(EnvironmentService).create(caller, { name: 'elsewhere' });
    const team = await context.get(TeamService).create(caller, { name: 'crew' });
    await context.get(AgentService).update(caller, agentId, { team_id: team.id, environment_ids: ['elsewhere'] });
    const ids = { environment: elsewhere.id, team: team.id, agent: agentId };
    await guard(caller, level, ids[level], DENIES);
    expect((await start(setting)).status).toBe('failed');
    const other = await context.get(AgentService).create(caller, { name: 'other' });
    expect((await start(setting, { entityId: other.id })).status).toBe('pending');
  });

  it('are denied where they are to run, whatever they are', async () => {
    const setting = await newSetting();
    const { caller, environmentId } = setting;
    await guard(caller, 'environment', environmentId, DENIES);
    const team = await context.get(TeamService).create(caller, { name: 'crew' });
    const runs: Partial<ExecutionOrigin>[] = [
      {},
      { entityId: null },
      { entityId: 'not-known-here' },
      { executionType: 'team', entityId: team.id },
      { executionType: 'workflow', entityId: newId() },
    ];
    for (const run of runs) expect((await start(setting, run)).status).toBe('failed');
    expect(await decided(caller)).toHaveLength(runs.length);
  });

  it('that their maker runs itself are denied just as well', async () => {
    const setting = await newSetting();
    const { caller, agentId, environmentId } = setting;
    await guard(caller, 'agent', agentId, DENIES);
    await guard(caller, 'environment', environmentId, DENIES);
    expect(await executions.create(caller, originOf(setting))).toMatchObject({ status: 'failed' });
    expect((await executions.create(caller, originOf(setting, { entityId: 'unknown' }))).status).toBe('pending');
    expect((await executions.create(caller, originOf(setting, { entityId: null }))).status).toBe('pending');
  });

  it('obey a policy from the moment it is associated, and the version of the moment', async () => {
    const setting = await newSetting();
    const { caller, agentId } = setting;
    expect((await start(setting)).status).toBe('pending');
    const policyId = await guard(caller, 'agent', agentId, DENIES);
    expect((await start(setting)).status).toBe('failed');
    await policies.update(caller, policyId, { policy_content: ALLOWS });
    expect((await start(setting)).status).toBe('pending');
    await policies.update(caller, policyId, { policy_content: '' });
    expect((await start(setting)).error_message).toContain('(version 3): Policy "guard" does not compile');
    await policies.update(caller, policyId, { enabled: false });
    expect((await start(setting)).status).toBe('pending');
  });

  it('are not touched by the policies of another organisation', async () => {
    const [one, other] = [await newSetting(), await newSetting()];
    await guard(one.caller, 'agent', one.agentId, DENIES);
    await guard(one.caller, 'environment', one.environmentId, DENIES);
    expect((await start(other)).status).toBe('pending');
    expect((await start(other, { entityId: one.agentId })).status).toBe('pending');
    expect(await decided(other.caller)).toEqual([]);
  });

  it('and what was decided on them come to be together or not at all', async () => {
    const setting = await newSetting();
    const { caller, agentId } = setting;
    await guard(caller, 'agent', agentId, ALLOWS);
    const chosen = { executionId: 'chosen' };
    await start(setting, chosen);
    await expect(start(setting, chosen)).rejects.toMatchObject({ code: 'execution_id_taken' });
    const around = context.database.transaction(async () => {
      await start(setting);
      throw new Error('the caller’s own trouble');
    });
    await expect(around).rejects.toThrow('own trouble');
    expect(await decided(caller)).toHaveLength(1);
    expect(await started(caller)).toBe(1);
  });

  it.each(['policy_associations', 'policies', 'policy_decisions'])(
    'do not start while %s can not be asked or written',
    async (table) => {
      const setting = await newSetting();
      await guard(setting.caller, 'agent', setting.agentId, ALLOWS);
      await context.database.sql(`ALTER TABLE ${table} RENAME TO away`);
      try {
        await expect(start(setting)).rejects.toThrow(`relation "${table}" does not exist`);
      } finally {
        await context.database.sql(`ALTER TABLE away RENAME TO ${table}`);
      }
      expect(await started(setting.caller)).toBe(0);
      expect((await start(setting)).status).toBe('pending');
    },
  );

  it('are denied where more policies apply than can be evaluated, which is recorded', async () => {
    const setting = await newSetting();
    const { caller, environmentId } = setting;
    for (let n = 0; n < 2; n += 1) await guard(caller, 'environment', environmentId, ALLOWS);
    const grow = `UPDATE policies SET policy_content = repeat('#', $2) WHERE organization_id = $1`;
    await context.database.sql(grow, [caller.organizationId, BOUNDS.bytes / 2 + 1]);
    const denial = expect.stringContaining('More policies apply than can be evaluated together');
    const runs = [{}, { entityId: 'not-known-here' }, { entityId: null }];
    for (const run of runs) {
      const execution = await start(setting, run);
      expect(execution).toMatchObject({ status: 'failed', worker_queue_id: null });
      expect(execution.error_message).toMatch(/^Denied: More policies apply than can be evaluated together: at most/);
    }
    const recorded = await decided(caller);
    expect(recorded).toHaveLength(runs.length);
    for (const decision of recorded) {
      expect(decision).toMatchObject({ kind: 'execution', allowed: false, violations: [denial], policies: [] });
    }
    const asked = { input: {}, policy_ids: [] };
    const evaluated = await decisions.evaluate(caller, 'environment', environmentId, asked);
    expect(evaluated).toMatchObject({ allowed: false, violations: [denial], policies: [] });
    const question = { action: 'x', resource: null, context: {} };
    const authorized = await decisions.checkAuthorization(caller, 'environment', environmentId, question);
    expect(authorized).toMatchObject({ allowed: false, violations: [denial] });
    const replayed = context.get(PolicyReplayService).replay(caller, evaluated.id, null);
    await expect(replayed).rejects.toMatchObject({ code: 'policy_decision_unasked' });
  });

  it('tell of a long denial only its beginning', async () => {
    const setting = await newSetting();
    const { caller, agentId } = setting;
    await guard(
      caller,
      'agent',
      agentId,
      'package a\n\ndeny contains sprintf("%0400d", [n]) if some n in numbers.range(1, 90)',
    );
    const { error_message } = await start(setting);
    expect(error_message).toHaveLength(2001);
    expect((await decided(caller))[0]?.violations).toHaveLength(90);
  });
});
