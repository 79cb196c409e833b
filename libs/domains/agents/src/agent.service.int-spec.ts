import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@app/database';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { AgentService } from './agent.service.js';
import type { TeamRoster } from './agent.types.js';
import { AgentsModule } from './agents.module.js';

const FIRST_PAGE = { skip: 0, limit: 100 };

describe('AgentService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let agents: AgentService;

  beforeAll(async () => {
    context = await createTestContext([AgentsModule], { clock });
    agents = context.get(AgentService);
  });

  afterAll(() => context.close());

  it('creates an agent with the default of each omitted field', async () => {
    const caller = testCaller();
    const created = await agents.create(caller, { name: 'writer' });
    expect(created).toEqual({
      id: created.id,
      organization_id: caller.organizationId,
      name: 'writer',
      description: null,
      system_prompt: null,
      capabilities: [],
      configuration: {},
      model_id: null,
      llm_config: {},
      runtime: null,
      team_id: null,
      environment_ids: [],
      execution_environment: {},
      status: 'idle',
      state: {},
      last_active_at: null,
      error_message: null,
      created_at: clock.now(),
      updated_at: clock.now(),
      updated_by: caller.userId,
      updated_by_email: caller.userEmail,
    });
    expect(await agents.read(caller, created.id)).toEqual(created);
  });

  it('stores free-form objects unchanged, including key order', async () => {
    const caller = testCaller();
    const execution_environment = { secrets: ['b', 'a'], env_vars: { Z: '1', A: '2' } };
    const { id } = await agents.create(caller, { name: 'exact', execution_environment });
    const read = await agents.read(caller, id);
    expect(JSON.stringify(read.execution_environment)).toBe(JSON.stringify(execution_environment));
  });

  it('accepts two agents with the same name', async () => {
    const caller = testCaller();
    const first = await agents.create(caller, { name: 'twin' });
    const second = await agents.create(caller, { name: 'twin' });
    expect(second.id).not.toBe(first.id);
  });

  it('lists agents newest first, by page and status', async () => {
    const caller = testCaller();
    for (const name of ['first', 'second', 'third']) {
      const { id } = await agents.create(caller, { name });
      if (name !== 'second') await agents.update(caller, id, { status: 'paused' });
      clock.advance(1);
    }
    const listed = await agents.list(caller, { status: 'paused' }, { skip: 1, limit: 5 });
    expect(listed.items.map(({ name }) => name)).toEqual(['first']);
    expect(listed.total).toBe(2);
  });

  it('rejects lists of agents and of team members that exceed the size limit of a page', async () => {
    const caller = testCaller();
    for (const name of ['a', 'b', 'c']) await agents.create(caller, { name });
    await context
      .get(Database)
      .sql("UPDATE agents SET system_prompt = repeat('x', 3000000), team_id = name WHERE organization_id = $1", [
        caller.organizationId,
      ]);
    await expect(agents.list(caller, {}, FIRST_PAGE)).rejects.toMatchObject({ faults: [{ path: ['limit'] }] });
    const teams = (...ids: string[]): TeamRoster[] => ids.map((id) => ({ id, memberIds: [] }));
    await expect(agents.membersOf(caller, teams('a', 'b', 'c'))).rejects.toMatchObject({ kind: 'invalid' });
    expect(await agents.list(caller, {}, { skip: 1, limit: 2 })).toMatchObject({ items: [{}, {}], total: 3 });
    expect([...(await agents.membersOf(caller, teams('a', 'b'))).values()].flat()).toHaveLength(2);
  });

  it('updates the given fields and `updated_at` only; null clears a field', async () => {
    const caller = testCaller();
    const before = await agents.create(caller, { name: 'a', description: 'd', model_id: 'm', capabilities: ['x'] });
    clock.advance(1);
    const after = await agents.update(caller, before.id, { model_id: null, runtime: 'default' });
    expect(after).toEqual({ ...before, model_id: null, runtime: 'default', updated_at: clock.now() });
  });

  it('lists only agents of the organization of the caller, even if the filter has unknown keys', async () => {
    const owner = testCaller();
    await agents.create(owner, { name: 'mine' });
    const filter = { status: 'idle' as const, organization_id: owner.organizationId, id: 'other' };
    expect(await agents.list(testCaller(), filter, FIRST_PAGE)).toEqual({ items: [], total: 0 });
    expect((await agents.list(owner, filter, FIRST_PAGE)).total).toBe(1);
  });

  it('rejects reading, updating and deleting an agent of another organization', async () => {
    const owner = testCaller();
    const stranger = testCaller();
    const { id } = await agents.create(owner, { name: 'mine' });
    await expect(agents.read(stranger, id)).rejects.toThrow('Agent not found');
    await expect(agents.update(stranger, id, { name: 'taken' })).rejects.toThrow('Agent not found');
    await expect(agents.delete(stranger, id)).rejects.toThrow('Agent not found');
    await agents.delete(owner, id);
    await expect(agents.read(owner, id)).rejects.toThrow('Agent not found');
  });
});
