import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@app/database';
import { createTestContext, eventually, ManualClock, testCaller, type TestContext } from '@app/testing';
import { AgentService } from './agent.service.js';
import { AgentSource, AssembledAgent } from './agent.source.js';
import { AgentsModule } from './agents.module.js';

describe('AgentSource', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let agents: AgentService;
  let source: AgentSource;

  beforeAll(async () => {
    context = await createTestContext([AgentsModule], { clock });
    agents = context.get(AgentService);
    source = context.get(AgentSource);
  });

  afterAll(() => context.close());

  it('returns the team of an agent, even if the team does not exist', async () => {
    const caller = testCaller();
    const created = await agents.create(caller, { name: 'writer', team_id: 't', environment_ids: ['e'] });
    const { id, updated_at: at } = created;
    const memberOf = [{ kind: 'team', id: 't' }];
    const shown = { kind: 'agent', id, name: 'writer', environmentIds: ['e'], memberOf, lastActiveAt: null };
    const changes = [{ kind: 'agent', id, at, updated_by: caller.userId, updated_by_email: null }];
    const expected = { ...shown, runtime: 'default', changes };
    expect(await source.find(caller, id)).toEqual(expected);
    expect(await source.assemble(caller, id)).toMatchObject({ memberOf });
  });

  it('records a run at most once per second and keeps `updated_at`', async () => {
    const caller = testCaller();
    const agent = await agents.create(caller, { name: 'writer' });
    const recordRun = async (): Promise<Date | null> => {
      const found = await source.find(caller, agent.id);
      if (found === undefined) throw new Error('no agent');
      await source.recordRun(caller, found);
      return (await agents.read(caller, agent.id)).last_active_at;
    };
    const first = clock.now();
    expect(await recordRun()).toEqual(first);
    clock.advance(999);
    expect(await recordRun()).toEqual(first);
    clock.advance(1);
    expect(await recordRun()).toEqual(clock.now());
    expect((await agents.read(caller, agent.id)).updated_at).toEqual(agent.updated_at);
  });

  it('records only one of several runs that start together', async () => {
    const caller = testCaller();
    const { id } = await agents.create(caller, { name: 'writer' });
    const found = await source.find(caller, id);
    if (found === undefined) throw new Error('no agent');
    const first = clock.now();
    await source.recordRun(caller, found);
    clock.advance(999);
    await source.recordRun(caller, found);
    expect((await agents.read(caller, id)).last_active_at).toEqual(first);
  });

  it('records a start that is repeated after a rollback', async () => {
    const caller = testCaller();
    const { id } = await agents.create(caller, { name: 'writer' });
    const found = await source.find(caller, id);
    if (found === undefined) throw new Error('no agent');
    const database = context.get(Database);
    const start = async (outcome: () => void): Promise<void> =>
      database.transaction(async () => {
        await source.recordRun(caller, found);
        outcome();
      });
    const undone = start(() => {
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect((await agents.read(caller, id)).last_active_at).toBeNull();
    clock.advance(1);
    await start(() => undefined);
    await eventually(async () => expect((await agents.read(caller, id)).last_active_at).toEqual(clock.now()));
  });

  it('assembles an agent with its model, or with the model of its LLM settings if it has none', async () => {
    const agent = await agents.create(testCaller(), { name: 'a', model_id: 'own', llm_config: { model: 'm' } });
    expect(new AssembledAgent(agent).model).toBe('own');
    expect(new AssembledAgent({ ...agent, model_id: null }).model).toBe('m');
    expect(new AssembledAgent({ ...agent, model_id: null, llm_config: { model: '' } }).model).toBeNull();
  });

  it('finds only agents of the organization of the caller', async () => {
    const owner = testCaller();
    const { id } = await agents.create(owner, { name: 'writer' });
    expect(await source.namesOf(owner, [id, 'unknown'])).toEqual(new Map([[id, 'writer']]));
    const stranger = testCaller();
    expect(await source.find(stranger, id)).toBeUndefined();
    expect(await source.assemble(stranger, id)).toBeUndefined();
    expect(await source.namesOf(stranger, [id])).toEqual(new Map());
  });
});
