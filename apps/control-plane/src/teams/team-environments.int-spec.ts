import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import {
  EntityContextsModule,
  EntityContextService,
  InheritanceService,
  InheritedVariablesService,
} from '@app/entity-contexts';
import { EnvironmentProvisioner, EnvironmentService, WorkerQueueService } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import type { Caller } from '@app/kernel';
import { PoliciesModule, PolicyAssociationService, PolicyResolution, PolicyService } from '@app/policies';
import { RequestedRunsModule, RequestedRunService } from '@app/orchestration';
import { SkillAssociationService, SkillService } from '@app/skills';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import fc from 'fast-check';

const NAMES = ['a', 'b', 'c', 'd'];

describe('the environments of a team', () => {
  const clock = new ManualClock();
  const caller: Caller = testCaller();
  const ids = new Map<string, string>();
  const queues = new Map<string, string>();
  let context: TestContext;

  beforeAll(async () => {
    const kinds = [AgentsModule, TeamsModule];
    context = await createTestContext(
      [...kinds, EntityContextsModule, ExecutionsModule, PoliciesModule, RequestedRunsModule],
      {
        clock,
      },
    );
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    for (const name of NAMES) ids.set(name, await newEnvironment(name));
  });

  afterAll(() => context.close());

  /** An environment with a queue, a variable, a skill, a context and a policy, all with its name. */
  async function newEnvironment(name: string): Promise<string> {
    const execution_environment = { env_vars: { [name]: name } };
    const { id } = await context.get(EnvironmentService).create(caller, { name, execution_environment });
    queues.set(name, (await context.get(WorkerQueueService).create(caller, id, { name: 'queue' })).id);
    const { id: skill_id } = await context.get(SkillService).create(caller, { name });
    await context.get(SkillAssociationService).add(caller, 'environment', id, { skill_id });
    await context.get(EntityContextService).put(caller, 'environment', id, { knowledge_uuids: [name] });
    const { id: policy_id } = await context.get(PolicyService).create(caller, { name, policy_content: 'package p' });
    const entity = { entity_type: 'environment', entity_id: id } as const;
    await context.get(PolicyAssociationService).create(caller, { ...entity, policy_id });
    return id;
  }

  /** The id and the name of an environment are equivalent. */
  const environments = fc.array(
    fc.tuple(fc.constantFrom(...NAMES), fc.boolean()).map(([name, byName]) => ({ name, byName })),
    { maxLength: 3 },
  );
  const members = fc.array(fc.record({ environments, listed: fc.boolean() }), { maxLength: 3 });

  it('are its own and those of its members, for skills, context, variables, policies and the choice of a queue', async () => {
    const words = (list: readonly { name: string; byName: boolean }[]): string[] =>
      list.map(({ name, byName }) => (byName ? name : (ids.get(name) ?? '')));
    await fc.assert(
      fc.asyncProperty(environments, members, async (own, others) => {
        const agents = context.get(AgentService);
        const { id } = await context.get(TeamService).create(caller, { name: 't', environment_ids: words(own) });
        const member_ids: string[] = [];
        for (const { environments: theirs, listed } of others) {
          const team_id = listed ? null : id;
          const member = await agents.create(caller, { name: 'm', team_id, environment_ids: words(theirs) });
          if (listed) member_ids.push(member.id);
          clock.advance(1);
        }
        await context.get(TeamService).update(caller, id, { configuration: { member_ids } });
        const union: string[] = [];
        for (const list of [own, ...others.map((member) => member.environments)]) {
          for (const { name } of list) if (!union.includes(name)) union.push(name);
        }

        const inheritance = context.get(InheritanceService);
        expect((await inheritance.resolvedSkills(caller, 'team', id)).map(({ name }) => name)).toEqual(union);
        expect((await inheritance.context(caller, 'team', id)).knowledge_uuids).toEqual(union);
        const variables = await context.get(InheritedVariablesService).resolve(caller, 'team', id, true);
        expect(Object.keys(variables).sort()).toEqual(union.toSorted());
        const policies = await context.get(PolicyResolution).resolve(caller, 'team', id);
        expect(policies.map(({ policy_name }) => policy_name).sort()).toEqual(union.toSorted());
        const runs = context.get(RequestedRunService);
        const { execution } = await runs.start(caller, { kind: 'team', id }, { prompt: 'Go' });
        const usable = union.map((name) => queues.get(name));
        if (union.length > 0) expect(usable).toContain(execution.worker_queue_id);
        else expect([...queues.values()]).not.toContain(execution.worker_queue_id);
      }),
      { numRuns: 12 },
    );
  });
});
