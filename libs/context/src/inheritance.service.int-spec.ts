import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentService } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { entityKeyOf, type Caller } from '@app/kernel';
import { PoliciesModule } from '@app/policies';
import { ProjectMemberService, ProjectService } from '@app/projects';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, statementsOf, testCaller, type TestContext } from '@app/testing';
import { ContextModule } from './context.module.js';
import { EntityContextService } from './entity-context.service.js';
import { InheritanceService } from './inheritance.service.js';

/** Each reads tables of one domain. */
const STATEMENTS = [
  'agents.find_runnable',
  'teams',
  // A team has the environments of its members, too.
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
    const modules = [AgentsModule, TeamsModule, ExecutionsModule, ContextModule, PoliciesModule];
    context = await createTestContext(modules, { clock });
    inheritance = context.get(InheritanceService);
  });

  afterAll(() => context.close());

  /** Creates an agent that inherits from this many environments and projects, directly and through its team. */
  async function newAgent(caller: Caller, each: number): Promise<{ id: string; layers: string[] }> {
    const environments: string[] = [];
    for (let n = 0; n < 2 * each; n += 1) {
      environments.push((await context.get(EnvironmentService).create(caller, { name: `e${n}` })).id);
    }
    const [own, ofTeam] = [environments.slice(0, each), environments.slice(each)];
    const team = await context.get(TeamService).create(caller, { name: 't', environment_ids: ofTeam });
    const { id } = await context.get(AgentService).create(caller, {
      ...{ name: 'a', team_id: team.id, environment_ids: own },
    });
    const projects: string[] = [];
    for (const member of [{ kind: 'agent', id } as const, { kind: 'team', id: team.id } as const]) {
      for (let n = 0; n < each; n += 1) {
        const project = await context.get(ProjectService).create(caller, { name: 'p', key: `${member.kind}${n}` });
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

  it('reads the contexts of any number of layers in one statement, and the layers in a fixed number', async () => {
    for (const each of [1, 10]) {
      const caller = testCaller();
      const { id, layers } = await newAgent(caller, each);
      // The first read of a process also asks for the columns of its statements.
      const resolved = await inheritance.context(caller, 'agent', id);
      expect(resolved.layers.map(entityKeyOf)).toEqual(layers);
      expect(resolved.knowledge_uuids).toEqual(['k0', 'shared', ...layers.slice(1).map((_layer, n) => `k${n + 1}`)]);
      const statements = await statementsOf(() => inheritance.context(caller, 'agent', id));
      const names = statements.map((statement) => (statement.includes('FROM "teams"') ? 'teams' : statement));
      // Without order: the projects are read beside the team.
      expect(new Set(names)).toEqual(new Set(STATEMENTS));
      expect(names).toHaveLength(STATEMENTS.length);
    }
  });
});
