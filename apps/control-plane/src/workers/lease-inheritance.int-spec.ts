import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import {
  EntityContextsModule,
  EntityContextService,
  InheritanceService,
  InheritedVariablesService,
} from '@app/entity-contexts';
import { EnvironmentProvisioner, EnvironmentService, WorkerQueueService, WorkerService } from '@app/environments';
import { ExecutionsModule, type ExecutionType } from '@app/executions';
import type { Caller, JsonObject } from '@app/kernel';
import { PoliciesModule } from '@app/policies';
import { ProjectMemberService, ProjectService } from '@app/projects';
import {
  ConnectedWorkerService,
  RequestedRunsModule,
  RequestedRunService,
  OrchestrationModule,
  type AssembledRun,
} from '@app/orchestration';
import { SkillAssociationService, SkillService } from '@app/skills';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import fc from 'fast-check';

/**
 * What an entity adds to the runs that inherit from it. The generators use few names, so that layers override each
 * other.
 */
const additions = fc.record({
  variables: fc.dictionary(fc.constantFrom('A', 'B', 'C'), fc.constantFrom('1', '2'), { noNullPrototype: true }),
  knowledge: fc.uniqueArray(fc.constantFrom('k1', 'k2', 'k3')),
  skills: fc.uniqueArray(fc.constantFrom(0, 1, 2)),
});
type Additions = typeof additions extends fc.Arbitrary<infer T> ? T : never;

/**
 * The agent is in the environment `lab` or in none, and may be in a team. The agent and the team each have a project.
 */
const settings = fc.record({
  inTeam: fc.boolean(),
  agentInLab: fc.boolean(),
  teamInLab: fc.boolean(),
  lab: additions,
  agent: additions,
  team: additions,
  agentProject: additions,
  teamProject: additions,
});
type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;

const adding = (value: '1' | '2'): Additions => ({ variables: { A: value }, knowledge: ['k1'], skills: [0] });
const NOTHING: Additions = { variables: {}, knowledge: [], skills: [] };

/** The agent has no environment of its own, but its team has one. */
const TEAM_IN_LAB: Settings = {
  ...{ inTeam: true, agentInLab: false, teamInLab: true },
  ...{ lab: adding('1'), agent: NOTHING, team: NOTHING, agentProject: NOTHING, teamProject: adding('2') },
};

describe('the inherited content of a lease', () => {
  let context: TestContext;

  beforeAll(async () => {
    const kinds = [AgentsModule, TeamsModule];
    const domains = [EntityContextsModule, ExecutionsModule, PoliciesModule, RequestedRunsModule, OrchestrationModule];
    context = await createTestContext([...kinds, ...domains]);
  });

  afterAll(() => context.close());

  const environmentOf = ({ variables }: Additions): JsonObject => ({ env_vars: { ...variables } });

  async function newProject(caller: Caller, kind: ExecutionType, id: string, added: Additions): Promise<void> {
    const fields = { name: kind, key: kind, settings: { execution_environment: environmentOf(added) } };
    const project = await context.get(ProjectService).create(caller, fields);
    await context.get(ProjectMemberService).add(caller, project.id, { member: { kind, id } });
    await putContext(caller, 'project', project.id, added);
  }

  const putContext = (caller: Caller, type: string, id: string, { knowledge }: Additions): Promise<unknown> =>
    context.get(EntityContextService).put(caller, type, id, { knowledge_uuids: knowledge });

  /** Creates the entities and returns the ids of the agent and the team. */
  async function create(caller: Caller, given: Settings): Promise<{ agent: string; team: string }> {
    const skills = context.get(SkillService);
    const ids: string[] = [];
    for (const name of ['s1', 's2']) ids.push((await skills.create(caller, { name })).id);
    ids.push((await skills.create(caller, { name: 's3', enabled: false })).id);
    const skillsOf = (added: Additions): string[] => added.skills.flatMap((index) => ids[index] ?? []);
    const environments = context.get(EnvironmentService);
    const lab = await environments.create(caller, { name: 'lab', execution_environment: environmentOf(given.lab) });
    for (const skill_id of skillsOf(given.lab)) {
      await context.get(SkillAssociationService).add(caller, 'environment', lab.id, { skill_id });
    }
    const fieldsOf = (kind: 'agent' | 'team', inLab: boolean) => ({
      name: kind,
      environment_ids: inLab ? ['lab'] : [],
      execution_environment: environmentOf(given[kind]),
      skill_ids: skillsOf(given[kind]),
    });
    const team = await context.get(TeamService).create(caller, fieldsOf('team', given.teamInLab));
    const fields = { ...fieldsOf('agent', given.agentInLab), team_id: given.inTeam ? team.id : null };
    const agent = await context.get(AgentService).create(caller, fields);
    await newProject(caller, 'agent', agent.id, given.agentProject);
    await newProject(caller, 'team', team.id, given.teamProject);
    await putContext(caller, 'environment', lab.id, given.lab);
    await putContext(caller, 'team', team.id, given.team);
    await putContext(caller, 'agent', agent.id, given.agent);
    return { agent: agent.id, team: team.id };
  }

  /** Starts a run, leases it in the queue that was chosen and returns what the lease has. */
  async function lease(caller: Caller, kind: ExecutionType, id: string): Promise<AssembledRun> {
    const { execution } = await context.get(RequestedRunService).start(caller, { kind, id }, { prompt: 'Go' });
    const worker = await context.get(WorkerService).start(caller, execution.worker_queue_id ?? '', {});
    const { signal } = new AbortController();
    const present = (runs: readonly AssembledRun[]): Promise<readonly AssembledRun[]> => Promise.resolve(runs);
    const poll = { max: 1, waitMs: 30_000, signal, present };
    const [run] = (await context.get(ConnectedWorkerService).poll(caller, worker.worker_id, poll)).presented;
    if (run === undefined) throw new Error('No lease');
    return run;
  }

  it('equals the resolved skills, context and variables of the agent or team, for every combination of layers', async () => {
    await fc.assert(
      fc.asyncProperty(settings, async (given) => {
        const caller = testCaller();
        await context.get(EnvironmentProvisioner).provisionDefaults(caller);
        const ids = await create(caller, given);
        await context.get(WorkerQueueService).create(caller, 'lab', { name: 'bench' });
        for (const kind of ['agent', 'team'] as const) {
          const run = await lease(caller, kind, ids[kind]);
          const inheritance = context.get(InheritanceService);
          const skills = await inheritance.resolvedSkills(caller, kind, ids[kind]);
          expect(run.skills).toEqual(skills.filter(({ enabled }) => enabled));
          expect(await inheritance.context(caller, kind, ids[kind])).toMatchObject({ ...run.context });
          const variables = await context.get(InheritedVariablesService).resolve(caller, kind, ids[kind], true);
          expect(run.environment.variables).toEqual(variables);
        }
      }),
      { numRuns: 8, examples: [[TEAM_IN_LAB]] },
    );
  });
});
