import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService } from '@app/agents';
import { EnvironmentService, WorkerQueueService } from '@app/environments';
import { ExecutionService, OpenGateModule } from '@app/executions';
import type { Caller } from '@app/kernel';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { TeamRunService } from './team-run.service.js';
import { TeamService } from './team.service.js';
import { TeamsModule } from './teams.module.js';

describe('running a team', () => {
  let context: TestContext;
  let teams: TeamService;
  let runs: TeamRunService;
  let environments: EnvironmentService;
  let queues: WorkerQueueService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, TeamsModule]);
    teams = context.get(TeamService);
    runs = context.get(TeamRunService);
    environments = context.get(EnvironmentService);
    queues = context.get(WorkerQueueService);
  });

  afterAll(() => context.close());

  async function newOrganization(): Promise<Caller> {
    const caller = testCaller();
    await environments.provisionDefaults(caller);
    return caller;
  }

  it('makes a pending execution of the team for the person behind the key, in the default queue', async () => {
    const caller = await newOrganization();
    const team = await teams.create(caller, { name: 'crew' });
    const started = await runs.execute(caller, team.id, {
      prompt: 'Write',
      system_prompt: 'Be brief',
      user_metadata: { ticket: 7 },
    });
    const { items } = await queues.listIn(caller, 'default', { skip: 0, limit: 1 });
    expect(await context.get(ExecutionService).read(caller, started.id)).toMatchObject({
      status: 'pending',
      execution_type: 'team',
      entity_id: team.id,
      entity_name: 'crew',
      prompt: 'Write',
      system_prompt: 'Be brief',
      user_id: caller.userId,
      trigger_type: 'api',
      execution_metadata: { user_metadata: { ticket: 7 } },
      worker_queue_id: items[0]?.id,
    });
  });

  it('goes to the queue that is named, else to where its members belong', async () => {
    const caller = await newOrganization();
    const gpu = await queues.create(caller, 'default', { name: 'gpu' });
    const lab = await environments.create(caller, { name: 'lab' });
    const bench = await queues.create(caller, 'lab', { name: 'bench' });
    const team = await teams.create(caller, { name: 'crew' });
    const member = { name: 'a', team_id: team.id, environment_ids: [lab.id] };
    await context.get(AgentService).create(caller, member);
    const chosen = await runs.execute(caller, team.id, { prompt: 'Go' });
    const named = await runs.execute(caller, team.id, { prompt: 'Go', worker_queue_id: 'gpu' });
    expect([chosen.worker_queue_id, named.worker_queue_id]).toEqual([bench.id, gpu.id]);
  });

  it('is refused for teams of another organisation', async () => {
    const team = await teams.create(await newOrganization(), { name: 'crew' });
    const stranger = await newOrganization();
    await expect(runs.execute(stranger, team.id, { prompt: 'Go' })).rejects.toThrow('Team not found');
  });
});
