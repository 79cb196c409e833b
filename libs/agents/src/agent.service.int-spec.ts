import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@app/database';
import { EnvironmentService } from '@app/environments';
import { OpenGateModule } from '@app/executions';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { AgentService } from './agent.service.js';
import { AgentsModule } from './agents.module.js';

const everything = { skip: 0, limit: 100 };

describe('stored agents', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let agents: AgentService;
  let environments: EnvironmentService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule], { clock });
    agents = context.get(AgentService);
    environments = context.get(EnvironmentService);
  });

  afterAll(() => context.close());

  it('are made with every default the client left out, and read back the same', async () => {
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
      skill_ids: [],
      execution_environment: {},
      status: 'idle',
      state: {},
      environments: [],
      last_active_at: null,
      error_message: null,
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await agents.read(caller, created.id)).toEqual(created);
  });

  it('keep free-form objects exactly as they were sent, key order included', async () => {
    const caller = testCaller();
    const execution_environment = { secrets: ['b', 'a'], env_vars: { Z: '1', A: '2' } };
    const { id } = await agents.create(caller, { name: 'exact', execution_environment });
    const read = await agents.read(caller, id);
    expect(JSON.stringify(read.execution_environment)).toBe(JSON.stringify(execution_environment));
  });

  it('may have the same name twice', async () => {
    const caller = testCaller();
    const first = await agents.create(caller, { name: 'twin' });
    const second = await agents.create(caller, { name: 'twin' });
    expect(second.id).not.toBe(first.id);
  });

  it('show those of their environments that exist in their organisation, once each, in the order they were given', async () => {
    const caller = testCaller();
    const theirs = await environments.create(testCaller(), { name: 'theirs' });
    const one = await environments.create(caller, { name: 'one' });
    const two = await environments.create(caller, { name: 'two' });
    const environment_ids = [two.id, 'gone', theirs.id, one.id, 'one', two.id];
    const created = await agents.create(caller, { name: 'placed', environment_ids });
    expect(created.environment_ids).toEqual(environment_ids);
    expect(created.environments.map(({ name }) => name)).toEqual(['two', 'one']);
    const [listed] = (await agents.list(caller, {}, everything)).items;
    expect(listed).toEqual(created);
  });

  it('are listed newest first in windows, filtered by status', async () => {
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

  it('are listed in pages that fit in memory, or not at all; their teams too', async () => {
    const caller = testCaller();
    for (const name of ['a', 'b', 'c']) await agents.create(caller, { name });
    await context
      .get(Database)
      .sql("UPDATE agents SET system_prompt = repeat('x', 3000000), team_id = name WHERE organization_id = $1", [
        caller.organizationId,
      ]);
    await expect(agents.list(caller, {}, everything)).rejects.toMatchObject({ faults: [{ loc: ['query', 'limit'] }] });
    await expect(agents.membersOf(caller, ['a', 'b', 'c'])).rejects.toMatchObject({ kind: 'invalid' });
    expect(await agents.list(caller, {}, { skip: 1, limit: 2 })).toMatchObject({ items: [{}, {}], total: 3 });
    expect([...(await agents.membersOf(caller, ['a', 'b'])).values()].flat()).toHaveLength(2);
  });

  it('change partially: what is absent stays, null clears, and the time of change moves', async () => {
    const caller = testCaller();
    const before = await agents.create(caller, { name: 'a', description: 'd', model_id: 'm', capabilities: ['x'] });
    clock.advance(1);
    const after = await agents.update(caller, before.id, { model_id: null, runtime: 'default' });
    expect(after).toEqual({ ...before, model_id: null, runtime: 'default', updated_at: clock.now() });
  });

  it('are listed for their organisation only, whatever keys a filter has beyond its own', async () => {
    const owner = testCaller();
    await agents.create(owner, { name: 'mine' });
    const wide = { status: 'idle' as const, organization_id: owner.organizationId, name: 'other' };
    expect(await agents.list(testCaller(), wide, everything)).toEqual({ items: [], total: 0 });
    expect((await agents.list(owner, wide, everything)).total).toBe(1);
  });

  it('are invisible, unchangeable and undeletable from another organisation', async () => {
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
