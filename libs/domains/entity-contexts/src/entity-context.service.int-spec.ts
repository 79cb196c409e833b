import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { Database } from '@app/database';
import { EnvironmentService } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import type { Caller } from '@app/kernel';
import { PoliciesModule } from '@app/policies';
import { ProjectService } from '@app/projects';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { EntityContextsModule } from './entity-contexts.module.js';
import { EntityContextService } from './entity-context.service.js';

describe('EntityContextService', () => {
  let context: TestContext;
  let contexts: EntityContextService;

  beforeAll(async () => {
    context = await createTestContext([
      AgentsModule,
      TeamsModule,
      ExecutionsModule,
      EntityContextsModule,
      PoliciesModule,
    ]);
    contexts = context.get(EntityContextService);
  });

  afterAll(() => context.close());

  const lists = { knowledge_uuids: ['k'] };

  const stored = async ({ organizationId }: Caller): Promise<string[]> => {
    const query = 'SELECT entity_type FROM entity_contexts WHERE organization_id = $1 ORDER BY entity_type';
    const rows = await context.get(Database).sql<{ entity_type: string }>(query, [organizationId]);
    return rows.map(({ entity_type }) => entity_type);
  };

  it('deletes a context with its entity, of every type', async () => {
    const caller = testCaller();
    const owners = {
      agent: context.get(AgentService),
      environment: context.get(EnvironmentService),
      project: context.get(ProjectService),
      team: context.get(TeamService),
    };
    for (const [type, owner] of Object.entries(owners)) {
      const [{ id }, other] = [
        await owner.create(caller, { name: 'one', key: 'one' }),
        await owner.create(caller, { name: 'other', key: 'other' }),
      ];
      for (const entity of [id, other.id]) await contexts.put(caller, type, entity, lists);
      await owner.delete(caller, id);
    }
    expect(await stored(caller)).toEqual(Object.keys(owners));
  });

  it('stores no context for an entity that is deleted concurrently', async () => {
    const caller = testCaller();
    const agents = context.get(AgentService);
    for (let round = 0; round < 20; round += 1) {
      const { id } = await agents.create(caller, { name: 'a' });
      await Promise.allSettled([contexts.put(caller, 'agent', id, lists), agents.delete(caller, id)]);
    }
    expect(await stored(caller)).toEqual([]);
  });
});
