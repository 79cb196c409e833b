import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { ExecutionsModule } from '@app/executions';
import { type Caller, type JsonObject } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { PoliciesModule } from '../policies.module.js';
import { PolicyAssociationService } from '../associations/policy-association.service.js';
import { PolicyService } from '../policies/policy.service.js';
import { PolicyBacktestService } from './policy-backtest.service.js';
import { PolicyDecisionService } from './policy-decision.service.js';

const BLOCKS_EVE = 'package p\n\nviolations contains "eve" if input.user == "eve"';
const BLOCKS_BOB = 'package p\n\nviolations contains "bob" if input.user == "bob"';
const USERS = ['ann', 'bob', 'eve'];

describe('a backtest', () => {
  const clock = new ManualClock(new Date('2026-03-01T12:00:00.000Z'));
  let context: TestContext;
  let backtests: PolicyBacktestService;
  let policies: PolicyService;

  beforeAll(async () => {
    context = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule], { clock });
    backtests = context.get(PolicyBacktestService);
    policies = context.get(PolicyService);
  });
  afterAll(() => context.close());

  interface Fixture {
    readonly caller: Caller;
    readonly agentId: string;
    readonly policyId: string;
  }

  /** An agent with a policy and one decision on each input. */
  async function fixtureWith(inputs: readonly JsonObject[], policy_content = BLOCKS_EVE): Promise<Fixture> {
    const caller = testCaller();
    const { id: agentId } = await context.get(AgentService).create(caller, { name: 'guarded' });
    const { id: policyId } = await policies.create(caller, { name: 'guard', policy_content });
    const association = { entity_type: 'agent', entity_id: agentId, policy_id: policyId } as const;
    await context.get(PolicyAssociationService).create(caller, association);
    for (const input of inputs) {
      clock.advance(1000);
      const request = { input, policy_ids: [] };
      await context.get(PolicyDecisionService).evaluate(caller, 'agent', agentId, request);
    }
    return { caller, agentId, policyId };
  }

  const ofUsers = USERS.map((user) => ({ user }));
  const decisionsIn = async (caller: Caller): Promise<number> => {
    const { total } = await context.get(PolicyDecisionService).list(caller, {}, { skip: 0, limit: 1 });
    return total ?? 0;
  };

  it('shows what a new version would have changed, newest first, and records nothing', async () => {
    const { caller, agentId, policyId } = await fixtureWith(ofUsers);
    const request = { policy_content: BLOCKS_BOB, policy_id: policyId, limit: 200 };
    const entity = { entity_type: 'agent', entity_id: agentId, execution_id: null };
    expect(await backtests.run(caller, request)).toMatchObject({
      ...{ tried: 3, same: 1, newly_denied: 1, newly_allowed: 1, failed: 0, skipped: 0, stopped_by: null },
      changes: [
        {
          decision: entity,
          entity_name: 'guarded',
          before: { allowed: false, violations: ['eve'] },
          after: { allowed: true, violations: [] },
        },
        {
          decision: entity,
          entity_name: 'guarded',
          before: { allowed: true, violations: [] },
          after: { allowed: false, violations: ['bob'] },
        },
      ],
    });
    expect(await decisionsIn(caller)).toBe(3);
  });

  it('adds a text without a policy to the recorded verdicts', async () => {
    const { caller } = await fixtureWith(ofUsers);
    const { changes, ...counts } = await backtests.run(caller, { policy_content: BLOCKS_BOB, limit: 200 });
    expect(counts).toMatchObject({ tried: 3, same: 2, newly_denied: 1, newly_allowed: 0 });
    expect(changes).toMatchObject([{ after: { violations: ['bob'] } }]);
  });

  it('keeps the recorded verdicts of the other policies', async () => {
    const { caller, agentId } = await fixtureWith([]);
    const { id: other } = await policies.create(caller, { name: 'other', policy_content: BLOCKS_BOB });
    const association = { entity_type: 'agent', entity_id: agentId, policy_id: other } as const;
    await context.get(PolicyAssociationService).create(caller, association);
    for (const input of ofUsers) {
      await context.get(PolicyDecisionService).evaluate(caller, 'agent', agentId, { input, policy_ids: [] });
    }
    const request = { policy_content: 'package p\n\nallow := true', policy_id: other, limit: 200 };
    expect(await backtests.run(caller, request)).toMatchObject({ tried: 3, same: 2, newly_allowed: 1 });
  });

  it('evaluates each input at the time and with the random seed of its decision', async () => {
    const content = `package p

violations contains sprintf("%d at %d", [rand.intn("lots", 1000000), time.now_ns()]) if input.user != "ann"`;
    const { caller, policyId } = await fixtureWith(ofUsers, content);
    clock.advance(3_600_000);
    const negated = `${content}\n\nallow := input.user == "ann"`;
    const same = await backtests.run(caller, { policy_content: negated, policy_id: policyId, limit: 200 });
    expect(same).toMatchObject({ tried: 3, same: 3, changes: [] });
    const { changes } = await backtests.run(caller, {
      policy_content: content.replace('!=', '=='),
      policy_id: policyId,
      limit: 200,
    });
    const { items } = await context.get(PolicyDecisionService).list(caller, {}, { skip: 0, limit: 10 });
    expect(changes.map(({ decision }) => decision.id)).toEqual(items.map(({ id }) => id));
    const ofAnn = changes.at(-1)?.after.violations[0];
    expect(ofAnn).toContain(` at ${items.at(-1)?.at.getTime()}000000`);
  });

  it('takes the newest decisions of the period and the entity, over several pages', async () => {
    const inputs = Array.from({ length: 60 }, (_, n) => ({ user: n % 2 === 0 ? 'ann' : 'bob' }));
    const { caller, policyId, agentId } = await fixtureWith(inputs);
    const request = { policy_content: BLOCKS_BOB, policy_id: policyId, limit: 50 };
    expect(await backtests.run(caller, request)).toMatchObject({ tried: 50, newly_denied: 25, same: 25 });
    const to = new Date(clock.millis() - 50_000);
    expect(await backtests.run(caller, { ...request, to })).toMatchObject({ tried: 9 });
    expect(await backtests.run(caller, { ...request, entity_type: 'team' })).toMatchObject({ tried: 0 });
    expect(await backtests.run(caller, { ...request, entity_id: agentId })).toMatchObject({ tried: 50 });
    expect(await backtests.run(testCaller(), { policy_content: BLOCKS_BOB, limit: 50 })).toMatchObject({ tried: 0 });
    await expect(backtests.run(testCaller(), request)).rejects.toMatchObject({ code: 'policy_not_found' });
  });

  it('counts decisions without a stored input as skipped, and stops when its time is over', async () => {
    const { caller, policyId } = await fixtureWith([{ user: 'bob', text: 'x'.repeat(100_000) }, ...ofUsers]);
    const request = { policy_content: BLOCKS_BOB, policy_id: policyId, limit: 200 };
    expect(await backtests.run(caller, request)).toMatchObject({ tried: 3, skipped: 1, stopped_by: null });
    expect(await backtests.run(caller, request, 0)).toMatchObject({ tried: 0, stopped_by: 'time' });
  });

  it('counts failed evaluations, and rejects a text that does not compile', async () => {
    const { caller, policyId } = await fixtureWith(ofUsers);
    const endless = 'package p\n\nviolations contains "x" if { some i in numbers.range(1, 100000000); i < 0 }';
    const failing = await backtests.run(caller, { policy_content: endless, policy_id: policyId, limit: 2 });
    expect(failing).toMatchObject({ tried: 2, failed: 2, newly_denied: 0 });
    expect(failing.changes[0]?.after).toMatchObject({ allowed: false });
    await expect(backtests.run(caller, { policy_content: 'package p\n\nallow if x', limit: 2 })).rejects.toMatchObject({
      code: 'request_invalid',
      faults: [{ path: ['policy_content'] }],
    });
  });
});
