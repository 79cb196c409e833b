import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { PolicyConfig } from '@app/config';
import { EnvironmentService } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { newId, type Caller, type JsonObject } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { PoliciesModule } from '../policies.module.js';
import { PolicyAssociationService } from '../associations/policy-association.service.js';
import { digestOf } from './policy-decision-input.js';
import { PolicyDecisionService } from './policy-decision.service.js';
import type { PolicyDecision, PolicyDecisionFilter } from './policy-decision.types.js';
import { PolicyReplayService } from './policy-replay.service.js';
import { PolicyService } from '../policies/policy.service.js';

const firstPage = { skip: 0, limit: 100 };
const GUARD = `package guard

default allow := false

allow if input.user == "ann"

violations contains "too late" if time.clock([time.now_ns(), "UTC"])[0] >= 18

violations contains sprintf("drew %d", [rand.intn("lots", 1000000)]) if input.draw`;

describe('policy decisions', () => {
  const clock = new ManualClock(new Date('2026-03-01T12:00:00.000Z'));
  let context: TestContext;
  let decisions: PolicyDecisionService;
  let replays: PolicyReplayService;
  let policies: PolicyService;
  let agents: AgentService;

  beforeAll(async () => {
    context = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule], { clock });
    decisions = context.get(PolicyDecisionService);
    replays = context.get(PolicyReplayService);
    policies = context.get(PolicyService);
    agents = context.get(AgentService);
  });

  afterAll(() => context.close());

  interface Fixture {
    readonly caller: Caller;
    readonly agentId: string;
    readonly policyId: string;
  }

  async function newFixture(policy_content = GUARD): Promise<Fixture> {
    const caller = testCaller({ userEmail: 'ada@acme.test' });
    const { id: agentId } = await agents.create(caller, { name: 'a' });
    const { id: policyId } = await policies.create(caller, { name: 'guard', policy_content });
    const association = { entity_type: 'agent', entity_id: agentId, policy_id: policyId } as const;
    await context.get(PolicyAssociationService).create(caller, association);
    return { caller, agentId, policyId };
  }

  const evaluate = (
    { caller, agentId }: Fixture,
    input: JsonObject,
    policy_ids: string[] = [],
  ): Promise<PolicyDecision> => decisions.evaluate(caller, 'agent', agentId, { input, policy_ids });

  it('are returned as they are stored, and read back unchanged', async () => {
    const fixture = await newFixture();
    const { caller, agentId, policyId } = fixture;
    const input = { z: 1, user: 'bob', a: { y: [null], b: 0.1 } };
    const decision = await evaluate(fixture, input);
    const result = {
      policy_id: policyId,
      policy_name: 'guard',
      version: 1,
      source: { entity_type: 'agent', entity_id: agentId },
      sources: [{ entity_type: 'agent', entity_id: agentId }],
    };
    expect(decision).toEqual({
      id: decision.id,
      organization_id: caller.organizationId,
      kind: 'evaluation',
      action: null,
      entity_type: 'agent',
      entity_id: agentId,
      allowed: false,
      violations: [],
      policies: [{ ...result, allowed: false, violations: [], failure: null, duration_ms: expect.any(Number) }],
      input_digest: digestOf(input),
      input_bytes: Buffer.byteLength(JSON.stringify(input)),
      input,
      execution_id: null,
      user_id: caller.userId,
      user_email: 'ada@acme.test',
      key_id: caller.keyId,
      at: clock.now(),
    });
    const read = await decisions.read(caller, decision.id);
    expect(read).toEqual(decision);
    expect(JSON.stringify(read.input)).toBe(JSON.stringify(input));
  });

  it('on an authorization contain the request and the user', async () => {
    const fixture = await newFixture('package g\n\nallow if input.user.email == "ada@acme.test"');
    const { caller, agentId } = fixture;
    const request = { action: 'delete', resource: { kind: 'bucket' }, context: { ip: '10.0.0.1' } };
    const decision = await decisions.checkAuthorization(caller, 'agent', agentId, request);
    expect(decision).toMatchObject({ kind: 'authorization', action: 'delete', allowed: true });
    expect(decision.input).toEqual({
      ...request,
      entity: { type: 'agent', id: agentId },
      user: { id: caller.userId, email: 'ada@acme.test', name: 'Tester' },
    });
  });

  it('without any policy allow and are recorded', async () => {
    const caller = testCaller();
    const { id } = await agents.create(caller, { name: 'free' });
    const decision = await decisions.evaluate(caller, 'agent', id, { input: {}, policy_ids: [] });
    expect(await decisions.read(caller, decision.id)).toMatchObject({ allowed: true, policies: [], violations: [] });
  });

  it('contain the id of an environment that was given by name', async () => {
    const caller = testCaller();
    const { id } = await context.get(EnvironmentService).create(caller, { name: 'lab' });
    const { id: loose } = await policies.create(caller, { name: 'loose', policy_content: 'package l' });
    const decision = await decisions.evaluate(caller, 'environment', 'lab', { input: {}, policy_ids: [loose] });
    expect(decision).toMatchObject({ entity_type: 'environment', entity_id: id });
    expect(decision.policies[0]?.source).toEqual({ entity_type: 'environment', entity_id: id });
  });

  it('are limited to the named policies, including policies that do not apply', async () => {
    const fixture = await newFixture();
    const loose = await policies.create(fixture.caller, {
      name: 'loose',
      policy_content: 'package l\n\ndeny := ["x"]',
    });
    const ids = async (policyIds: string[]): Promise<string[]> =>
      (await evaluate(fixture, {}, policyIds)).policies.map(({ policy_id }) => policy_id);
    expect(await ids([])).toEqual([fixture.policyId]);
    expect(await ids([loose.id])).toEqual([loose.id]);
    expect(await ids([loose.id, fixture.policyId])).toEqual([fixture.policyId, loose.id]);
    await expect(ids([newId()])).rejects.toMatchObject({ code: 'policy_not_found' });
  });

  it('store an input up to the limit, and only the digest of a larger one', async () => {
    const fixture = await newFixture();
    const { decisionInputBytes } = context.get(PolicyConfig);
    const shell = JSON.stringify({ text: '' }).length;
    const fits = { text: 'x'.repeat(decisionInputBytes - shell) };
    const large = { text: `${fits.text}x` };
    expect((await decisions.read(fixture.caller, (await evaluate(fixture, fits)).id)).input).toEqual(fits);
    const { id } = await evaluate(fixture, large);
    const stored = { input: null, input_bytes: decisionInputBytes + 1, input_digest: digestOf(large) };
    expect(await decisions.read(fixture.caller, id)).toMatchObject(stored);
    await expect(replays.replay(fixture.caller, id, null)).rejects.toMatchObject({
      code: 'policy_decision_input_missing',
    });
    expect(await replays.replay(fixture.caller, id, large)).toMatchObject({ same: true });
    const other = replays.replay(fixture.caller, id, { text: 'other' });
    await expect(other).rejects.toMatchObject({ code: 'policy_decision_input_differs' });
  });

  it('are listed newest first, by every filter', async () => {
    const fixture = await newFixture();
    const { caller, agentId, policyId } = fixture;
    const other = await agents.create(caller, { name: 'other' });
    const began = clock.now();
    const recordedDecisions: PolicyDecision[] = [];
    for (const user of ['ann', 'bob', 'ann']) {
      recordedDecisions.push(await evaluate(fixture, { user }));
      clock.advance(1000);
    }
    recordedDecisions.push(
      await decisions.checkAuthorization(caller, 'agent', other.id, { action: 'x', resource: null, context: {} }),
    );
    const [first, second, third, fourth] = recordedDecisions.map(({ id }) => id);
    const found = async (filter: PolicyDecisionFilter): Promise<string[]> =>
      (await decisions.list(caller, filter, firstPage)).items.map(({ id }) => id);
    expect(await found({})).toEqual([fourth, third, second, first]);
    expect(await found({ kind: 'authorization' })).toEqual([fourth]);
    expect(await found({ entity_type: 'agent', entity_id: agentId })).toEqual([third, second, first]);
    expect(await found({ entity_type: 'team' })).toEqual([]);
    expect(await found({ policy_id: policyId })).toEqual([third, second, first]);
    expect(await found({ policy_id: newId() })).toEqual([]);
    expect(await found({ allowed: false })).toEqual([second]);
    expect(await found({ allowed: true, policy_id: policyId })).toEqual([third, first]);
    expect(await found({ execution_id: newId() })).toEqual([]);
    expect(await found({ from: new Date(began.getTime() + 1000) })).toEqual([fourth, third, second]);
    expect(await found({ to: new Date(began.getTime() + 1000) })).toEqual([first]);
    const page = await decisions.list(caller, {}, { skip: 1, limit: 2 });
    expect({ total: page.total, ids: page.items.map(({ id }) => id) }).toEqual({ total: 4, ids: [third, second] });
    expect(page.items[0]).not.toHaveProperty('input');
  });

  it('cannot be read from another organization', async () => {
    const fixture = await newFixture();
    const { id } = await evaluate(fixture, { user: 'ann' });
    const stranger = testCaller();
    const missing = { code: 'policy_decision_not_found' };
    await expect(decisions.read(stranger, id)).rejects.toMatchObject(missing);
    await expect(replays.replay(stranger, id, null)).rejects.toMatchObject(missing);
    await expect(decisions.read(stranger, 'never-was')).rejects.toMatchObject(missing);
    const forged = { entity_id: fixture.agentId, organization_id: fixture.caller.organizationId };
    for (const filter of [{}, forged, { policy_id: fixture.policyId }]) {
      expect(await decisions.list(stranger, filter, firstPage)).toEqual({ items: [], total: 0 });
    }
  });

  it('replay to the same verdict later, even after the policy was changed or deleted', async () => {
    const fixture = await newFixture();
    const { caller, policyId } = fixture;
    const request = [{ user: 'ann' }, { user: 'bob' }, { user: 'ann', draw: true }, { draw: true }];
    const recordedDecisions = await Promise.all(request.map((input) => evaluate(fixture, input)));
    clock.advance(7 * 3_600_000);
    const late = await evaluate(fixture, { user: 'ann' });
    expect(late.violations).toEqual(['too late']);
    const replayAll = async (): Promise<void> => {
      for (const { id, input: _input, ...decision } of [...recordedDecisions, late]) {
        const { same, recorded, replayed } = await replays.replay(caller, id, null);
        expect(same).toBe(true);
        expect(recorded).toEqual({ id, ...decision });
        expect(replayed.violations).toEqual(decision.violations);
      }
    };
    await replayAll();
    await policies.update(caller, policyId, { name: 'renamed', policy_content: 'package g\n\nallow := false' });
    await replayAll();
    await policies.delete(caller, policyId);
    await replayAll();
    expect((await decisions.list(caller, {}, firstPage)).total).toBe(recordedDecisions.length + 1);
  });

  it('replay with `same: false` if the verdict differs', async () => {
    const fixture = await newFixture('package g\n\nallow := true');
    const { caller, policyId } = fixture;
    const { id } = await evaluate(fixture, { user: 'ann' });
    const setText = 'UPDATE policy_versions SET policy_content = $2 WHERE policy_id = $1';
    const { id: other } = await policies.create(caller, {
      name: 'other',
      policy_content: 'package g\n\ndeny := ["n"]',
    });
    await context.database.sql(setText, [policyId, 'package g\n\ndeny := ["n"]']);
    // Programs are cached by policy and version, so that only another process reads the changed text.
    const otherProcess = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule], {
      clock,
      shareWith: context,
    });
    const replayed = otherProcess.get(PolicyReplayService).replay(caller, id, null);
    const replay = await replayed.finally(() => otherProcess.close());
    expect(replay).toMatchObject({
      same: false,
      recorded: { allowed: true },
      replayed: { allowed: false, violations: ['n'] },
    });
    await context.database.sql('DELETE FROM policy_versions WHERE policy_id = ANY($1)', [[policyId, other]]);
    await expect(replays.replay(caller, id, null)).rejects.toMatchObject({ code: 'policy_version_gone' });
  });
});
