import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentService } from '@app/environments';
import { ExecutionsModule, RunnableSources, type Runnable } from '@app/executions';
import { entityKeyOf, type Caller } from '@app/kernel';
import { PoliciesModule } from '@app/policies';
import { ProjectMemberService, ProjectService } from '@app/projects';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, roundTripsOf, statementsOf, testCaller, type TestContext } from '@app/testing';
import { EntityContextsModule } from './entity-contexts.module.js';
import { EntityContextService } from './entity-context.service.js';
import { EntityLayersService } from './entity-layers.service.js';
import { InheritanceService } from './inheritance.service.js';

/** The expected statements, each of which reads tables of one domain. */
const STATEMENTS = [
  'agents.find_runnable',
  'teams.find_runnable',
  // Needed because a team also has the environments of its members.
  'agents.find_runnable_members',
  'projects.find_projects_of',
  'environments.find_named',
  'contexts.find',
];

describe('InheritanceService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let inheritance: InheritanceService;

  beforeAll(async () => {
    const modules = [AgentsModule, TeamsModule, ExecutionsModule, EntityContextsModule, PoliciesModule];
    context = await createTestContext(modules, { clock });
    inheritance = context.get(InheritanceService);
  });

  afterAll(() => context.close());

  /**
   * Creates an agent that inherits from `each` environments and `each` projects directly, and from as many through its
   * team.
   */
  async function newAgent(caller: Caller, each: number, name = ''): Promise<{ id: string; layers: string[] }> {
    const environments: string[] = [];
    for (let n = 0; n < 2 * each; n += 1) {
      environments.push((await context.get(EnvironmentService).create(caller, { name: `e${n}${name}` })).id);
    }
    const [own, ofTeam] = [environments.slice(0, each), environments.slice(each)];
    const team = await context.get(TeamService).create(caller, { name: 't', environment_ids: ofTeam });
    const { id } = await context.get(AgentService).create(caller, {
      ...{ name: 'a', team_id: team.id, environment_ids: own },
    });
    const projects: string[] = [];
    for (const member of [{ kind: 'agent', id } as const, { kind: 'team', id: team.id } as const]) {
      for (let n = 0; n < each; n += 1) {
        const project = await context
          .get(ProjectService)
          .create(caller, { name: 'p', key: `${member.kind}${n}${name}` });
        await context.get(ProjectMemberService).add(caller, project.id, { member });
        clock.advance(1);
        projects.push(project.id);
      }
    }
    const layers = [
      ...own.map((environment) => `environment:${environment}`),
      `team:${team.id}`,
      // The environments of a team are its own, then those of its members.
      ...ofTeam.map((environment) => `environment:${environment}`),
      ...projects.map((project) => `project:${project}`),
      `agent:${id}`,
    ];
    for (const [n, layer] of layers.entries()) {
      const [type = '', entity = ''] = layer.split(':');
      await context.get(EntityContextService).put(caller, type, entity, { knowledge_uuids: [`k${n}`, 'shared'] });
    }
    return { id, layers };
  }

  it('reads any number of layers and their contexts with six statements in three round trips', async () => {
    for (const each of [1, 10]) {
      const caller = testCaller();
      const { id, layers } = await newAgent(caller, each);
      // The first read of a process also queries the columns of its statements.
      const resolved = await inheritance.context(caller, 'agent', id);
      expect(resolved.layers.map(entityKeyOf)).toEqual(layers);
      expect(resolved.knowledge_uuids).toEqual(['k0', 'shared', ...layers.slice(1).map((_layer, n) => `k${n + 1}`)]);
      const names = await statementsOf(() => inheritance.context(caller, 'agent', id));
      // The order is not defined, because the statements of one round trip are sent together.
      expect(new Set(names)).toEqual(new Set(STATEMENTS));
      expect(names).toHaveLength(STATEMENTS.length);
      expect(await roundTripsOf(() => inheritance.context(caller, 'agent', id))).toBeLessThanOrEqual(3);
    }
  });

  it('reads the contexts of environments that are referred to by name', async () => {
    const caller = testCaller();
    const environments = context.get(EnvironmentService);
    const contexts = context.get(EntityContextService);
    const byName = await environments.create(caller, { name: 'by name' });
    const byId = await environments.create(caller, { name: 'by id' });
    await contexts.put(caller, 'environment', byName.id, { knowledge_uuids: ['k1'] });
    await contexts.put(caller, 'environment', byId.id, { knowledge_uuids: ['k2'] });
    const environment_ids = ['by name', byId.id, 'gone'];
    const agent = await context.get(AgentService).create(caller, { name: 'a', environment_ids });
    const { layers, knowledge_uuids } = await inheritance.context(caller, 'agent', agent.id);
    expect(layers.map(entityKeyOf)).toEqual([
      `environment:${byName.id}`,
      `environment:${byId.id}`,
      `agent:${agent.id}`,
    ]);
    expect(knowledge_uuids).toEqual(['k1', 'k2']);
  });

  it('reads the layers of many runnables with as many statements as the layers of one', async () => {
    const caller = testCaller();
    const layers = context.get(EntityLayersService);
    const runnables: Runnable[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { id } = await newAgent(caller, 1, `of ${n}`);
      runnables.push(await context.get(RunnableSources).read(caller, { kind: 'agent', id }));
    }
    const alone = (await Promise.all(runnables.map((runnable) => layers.ofAll(caller, [runnable])))).flat();
    const ofOne = await statementsOf(() => layers.ofAll(caller, runnables.slice(0, 1)));
    let together: unknown;
    const ofAll = await statementsOf(async () => (together = await layers.ofAll(caller, runnables)));
    expect(together).toEqual(alone);
    expect(ofAll.toSorted()).toEqual(ofOne.toSorted());
  });
});
