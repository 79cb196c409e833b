import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentService } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { newId, type Caller } from '@app/kernel';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { PoliciesHandlersModule } from '../policies.handlers.module.js';
import { PolicyAssociationService } from './policy-association.service.js';
import { MAX_ASSOCIATIONS_PER_ENTITY } from './policy-association.types.js';
import { PolicyService } from '../policies/policy.service.js';

const firstPage = { skip: 0, limit: 100 };

describe('policy associations', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let associations: PolicyAssociationService;
  let policies: PolicyService;
  let agents: AgentService;

  beforeAll(async () => {
    context = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesHandlersModule], { clock });
    associations = context.get(PolicyAssociationService);
    policies = context.get(PolicyService);
    agents = context.get(AgentService);
  });

  afterAll(() => context.close());

  const newPolicy = async (caller: Caller, name = 'p'): Promise<string> => (await policies.create(caller, { name })).id;
  const newAgent = async (caller: Caller): Promise<string> => (await agents.create(caller, { name: 'a' })).id;

  it('associate a policy with an entity, and are counted in the policy', async () => {
    const caller = testCaller();
    const [policy_id, entity_id] = [await newPolicy(caller, 'guard'), await newAgent(caller)];
    const created = await associations.create(caller, { entity_type: 'agent', entity_id, policy_id });
    expect(created).toEqual({
      id: created.id,
      organization_id: caller.organizationId,
      entity_type: 'agent',
      entity_id,
      policy_id,
      policy_name: 'guard',
      priority: 0,
      enabled: true,
      created_by: caller.userId,
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await associations.read(caller, created.id)).toEqual(created);
    expect((await policies.read(caller, policy_id)).association_count).toBe(1);
    clock.advance(1);
    const changed = await associations.update(caller, created.id, { priority: 7 });
    expect(changed).toEqual({ ...created, priority: 7, updated_at: clock.now() });
    await associations.delete(caller, created.id);
    await expect(associations.read(caller, created.id)).rejects.toThrow('Policy association not found');
    await expect(associations.delete(caller, created.id)).rejects.toThrow('Policy association not found');
    expect((await policies.read(caller, policy_id)).association_count).toBe(0);
  });

  it('accept the name of an environment and store its id', async () => {
    const caller = testCaller();
    const { id, name } = await context.get(EnvironmentService).create(caller, { name: 'lab' });
    const policy_id = await newPolicy(caller);
    const created = await associations.create(caller, { entity_type: 'environment', entity_id: name, policy_id });
    expect(created.entity_id).toBe(id);
    const duplicate = associations.create(caller, { entity_type: 'environment', entity_id: id, policy_id });
    await expect(duplicate).rejects.toThrow('already associated with this entity');
  });

  it('require a policy and an entity of the same organization', async () => {
    const [caller, stranger] = [testCaller(), testCaller()];
    const [policy_id, entity_id] = [await newPolicy(caller), await newAgent(caller)];
    const foreign = { policy_id: await newPolicy(stranger), entity_id: await newAgent(stranger) };
    const entity_type = 'agent' as const;
    for (const id of [newId(), foreign.policy_id]) {
      const rejected = associations.create(caller, { entity_type, entity_id, policy_id: id });
      await expect(rejected).rejects.toThrow('Policy not found');
    }
    for (const id of [newId(), foreign.entity_id]) {
      const rejected = associations.create(caller, { entity_type, entity_id: id, policy_id });
      await expect(rejected).rejects.toThrow('Agent not found');
    }
    await expect(associations.create(caller, { entity_type: 'team', entity_id, policy_id })).rejects.toThrow(
      'Team not found',
    );
    const unknown = associations.create(caller, { entity_type: 'environment', entity_id, policy_id });
    await expect(unknown).rejects.toThrow('Environment not found');
  });

  it('are created once by concurrent identical requests', async () => {
    const caller = testCaller();
    const request = {
      entity_type: 'agent' as const,
      entity_id: await newAgent(caller),
      policy_id: await newPolicy(caller),
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => associations.create(caller, request)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await associations.list(caller, {}, firstPage)).total).toBe(1);
  });

  it('never exceed the limit per entity, even when created concurrently', async () => {
    const caller = testCaller();
    const entity_id = await newAgent(caller);
    const ids = await Promise.all(
      Array.from({ length: MAX_ASSOCIATIONS_PER_ENTITY + 4 }, (_, n) => newPolicy(caller, `p${n}`)),
    );
    const outcomes = await Promise.allSettled(
      ids.map((policy_id) => associations.create(caller, { entity_type: 'agent', entity_id, policy_id })),
    );
    const rejected = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    expect(rejected).toHaveLength(4);
    for (const reason of rejected) expect(reason).toContain('at most 100 policy associations');
    expect((await associations.list(caller, { entity_id }, firstPage)).total).toBe(MAX_ASSOCIATIONS_PER_ENTITY);
  });

  it('are listed newest first in pages, filtered by entity, policy and state', async () => {
    const caller = testCaller();
    const [one, two] = [await newPolicy(caller, 'one'), await newPolicy(caller, 'two')];
    const agent = await newAgent(caller);
    const team = (await context.get(TeamService).create(caller, { name: 't' })).id;
    await associations.create(caller, { entity_type: 'agent', entity_id: agent, policy_id: one });
    clock.advance(1);
    await associations.create(caller, { entity_type: 'team', entity_id: team, policy_id: one, enabled: false });
    clock.advance(1);
    await associations.create(caller, { entity_type: 'agent', entity_id: agent, policy_id: two });
    const listed = async (filter: object, page = firstPage): Promise<string[]> =>
      (await associations.list(caller, filter, page)).items.map(
        ({ entity_type, policy_name }) => `${entity_type} ${policy_name}`,
      );
    expect(await listed({})).toEqual(['agent two', 'team one', 'agent one']);
    expect(await listed({ entity_type: 'agent' })).toEqual(['agent two', 'agent one']);
    expect(await listed({ entity_id: team })).toEqual(['team one']);
    expect(await listed({ policy_id: one, entity_type: 'agent' })).toEqual(['agent one']);
    expect(await listed({ enabled: false })).toEqual(['team one']);
    expect(await listed({}, { skip: 1, limit: 1 })).toEqual(['team one']);
    expect((await associations.list(caller, { policy_id: one }, { skip: 0, limit: 1 })).total).toBe(2);
    expect(await associations.list(testCaller(), {}, firstPage)).toEqual({ items: [], total: 0 });
  });

  it('are deleted with their policy, even while others are being created', async () => {
    const caller = testCaller();
    for (let round = 0; round < 20; round += 1) {
      const [policy_id, entity_id] = [await newPolicy(caller), await newAgent(caller)];
      const request = { entity_type: 'agent' as const, entity_id, policy_id };
      const [created, deleted] = await Promise.allSettled([
        associations.create(caller, request),
        policies.delete(caller, policy_id),
      ]);
      expect(deleted.status).toBe('fulfilled');
      if (created.status === 'rejected') expect(String(created.reason)).toContain('Policy not found');
    }
    expect((await associations.list(caller, {}, firstPage)).total).toBe(0);
  });

  it('cannot be read, changed or deleted from another organization', async () => {
    const [owner, stranger] = [testCaller(), testCaller()];
    const request = {
      entity_type: 'agent' as const,
      entity_id: await newAgent(owner),
      policy_id: await newPolicy(owner),
    };
    const created = await associations.create(owner, request);
    await expect(associations.read(stranger, created.id)).rejects.toThrow('Policy association not found');
    await expect(associations.update(stranger, created.id, { enabled: false })).rejects.toThrow('not found');
    await expect(associations.delete(stranger, created.id)).rejects.toThrow('Policy association not found');
    expect(await associations.read(owner, created.id)).toEqual(created);
  });

  it('are deleted with their entity, without affecting others', async () => {
    const [caller, other] = [testCaller(), testCaller()];
    const teams = context.get(TeamService);
    const environments = context.get(EnvironmentService);
    const kept = [];
    for (const owner of [caller, other]) {
      const policy_id = await newPolicy(owner);
      for (const fate of ['kept', 'deleted']) {
        const entities = [
          { entity_type: 'agent', entity_id: await newAgent(owner) },
          { entity_type: 'team', entity_id: (await teams.create(owner, { name: 't' })).id },
          { entity_type: 'environment', entity_id: (await environments.create(owner, { name: fate })).id },
        ] as const;
        for (const entity of entities) {
          const { id } = await associations.create(owner, { ...entity, policy_id });
          if (fate === 'kept') kept.push(id);
        }
        if (fate === 'deleted') {
          await agents.delete(owner, entities[0].entity_id);
          await teams.delete(owner, entities[1].entity_id);
          await environments.delete(owner, entities[2].entity_id);
        }
      }
      expect((await policies.read(owner, policy_id)).association_count).toBe(3);
    }
    const remaining = [
      ...(await associations.list(caller, {}, firstPage)).items,
      ...(await associations.list(other, {}, firstPage)).items,
    ];
    expect(remaining.map(({ id }) => id).sort()).toEqual(kept.sort());
  });
});
