import { AgentsModule, AgentService } from '@app/agents';
import { EntityDependent } from '@app/database';
import type { EntityRef, JsonObject, Scope } from '@app/kernel';
import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { WorkflowService } from './workflow.service.js';
import { WorkflowsModule } from './workflows.module.js';

const step = (name: string, rest: JsonObject = {}): JsonObject => ({ name, type: 'prompt', prompt: 'p', ...rest });

/** A domain with rows that belong to workflows. */
@Injectable()
class Dependents extends EntityDependent {
  readonly removed: EntityRef[] = [];

  override async removeOf(_scope: Scope, entity: EntityRef): Promise<void> {
    this.removed.push(entity);
  }
}

@Module({ providers: [Dependents] })
class DependentsModule {}

describe('WorkflowService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let workflows: WorkflowService;
  let agents: AgentService;

  beforeAll(async () => {
    context = await createTestContext([WorkflowsModule, AgentsModule, TeamsModule, DependentsModule], { clock });
    workflows = context.get(WorkflowService);
    agents = context.get(AgentService);
  });

  afterAll(() => context.close());

  it('creates one version for each change of the definition, and none for other changes', async () => {
    const caller = testCaller();
    const { id } = await workflows.create(caller, { name: 'w', steps: [step('a')] });
    clock.advance(1);
    await workflows.update(caller, 'w', { description: 'd', status: 'inactive', steps: [step('a')] });
    const second = await workflows.update(caller, id, { steps: [step('a'), step('b')], name: 'renamed' });
    await workflows.update(caller, id, { configuration: { continue_on_error: true } });
    const last = await workflows.update(caller, id, { configuration: { continue_on_error: true }, team_id: null });
    expect(last).toMatchObject({ version: 3, name: 'renamed', status: 'inactive', updated_by: caller.userId });
    const { items, total } = await workflows.listVersions(caller, id, { skip: 0, limit: 10 });
    expect([items.map(({ version, steps }) => [version, steps.length]), total]).toEqual([
      [
        [3, 2],
        [2, 2],
        [1, 1],
      ],
      3,
    ]);
    expect(await workflows.readVersion(caller, 'renamed', '2')).toMatchObject({
      steps: second.steps,
      configuration: {},
      created_by: caller.userId,
      created_at: second.updated_at,
    });
    for (const wrong of ['0', '4', 'x', '1.0', '99999999999'])
      await expect(workflows.readVersion(caller, id, wrong)).rejects.toThrow('Workflow version not found');
  });

  it('removes the rows of other domains together with the workflow', async () => {
    const caller = testCaller();
    const { id } = await workflows.create(caller, { name: 'w' });
    await workflows.delete(caller, 'w');
    expect(context.get(Dependents).removed).toEqual([{ entity_type: 'workflow', entity_id: id }]);
  });

  it('numbers the versions of concurrent updates one after the other', async () => {
    const caller = testCaller();
    const { id } = await workflows.create(caller, { name: 'w' });
    const updates = Array.from({ length: 5 }, (_update, n) => workflows.update(caller, id, { configuration: { n } }));
    const versions = (await Promise.all(updates)).map(({ version }) => version);
    expect(new Set(versions)).toEqual(new Set([2, 3, 4, 5, 6]));
  });

  it('points to each step whose agent or team does not exist in the organization or has an ambiguous name', async () => {
    const caller = testCaller();
    const foreign = await agents.create(testCaller(), { name: 'foreign' });
    const { id } = await agents.create(caller, { name: 'single' });
    for (const name of ['double', 'double']) await agents.create(caller, { name });
    await agents.create(caller, { name: id });
    const named = ['single', id, 'double', foreign.id, 'foreign', 'unknown'];
    const steps = named.map((agent_id, index) => ({ name: `s${index}`, type: 'agent', agent_id }));
    const created = workflows.create(caller, {
      name: 'w',
      steps: [...steps, { name: 't', type: 'team', team_id: id }],
    });
    await expect(created).rejects.toMatchObject({
      kind: 'invalid',
      faults: [
        { path: ['steps', '2', 'agent_id'], msg: 'Several agents are called double: give the id' },
        { path: ['steps', '3', 'agent_id'], msg: `There is no agent ${foreign.id}` },
        { path: ['steps', '4', 'agent_id'] },
        { path: ['steps', '5', 'agent_id'] },
        { path: ['steps', '6', 'team_id'], msg: `There is no team ${id}` },
      ],
    });
    await expect(workflows.create(caller, { name: 'w', steps: steps.slice(0, 2) })).resolves.toMatchObject({
      steps: [{}, {}],
    });
  });

  it('rejects a name that another workflow of the organization has, and finds workflows by id rather than by name', async () => {
    const caller = testCaller();
    const first = await workflows.create(caller, { name: 'first' });
    const second = await workflows.create(caller, { name: first.id });
    const taken = { kind: 'conflict', code: 'workflow_name_taken' };
    await expect(workflows.create(caller, { name: 'first' })).rejects.toMatchObject(taken);
    await expect(workflows.update(caller, second.id, { name: 'first' })).rejects.toMatchObject(taken);
    await expect(workflows.create(testCaller(), { name: 'first' })).resolves.toBeDefined();
    expect(await workflows.read(caller, first.id)).toEqual(first);
    await workflows.delete(caller, 'first');
    expect((await workflows.read(caller, first.id)).id).toBe(second.id);
    await expect(workflows.delete(caller, 'first')).rejects.toThrow('Workflow not found');
  });
});
