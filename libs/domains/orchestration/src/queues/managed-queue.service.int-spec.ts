import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner, WorkerQueueService } from '@app/environments';
import { ExecutionService } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { TeamsModule } from '@app/teams';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { ManagedQueueService } from './managed-queue.service.js';
import { RequestedRunService } from '../requested/requested-run.service.js';
import { RequestedRunsModule } from '../requested/requested-runs.module.js';
import { OrchestrationModule } from '../orchestration.module.js';

describe('ManagedQueueService', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([
      OpenGateModule,
      AgentsModule,
      TeamsModule,
      RequestedRunsModule,
      OrchestrationModule,
    ]);
  });

  afterAll(() => context.close());

  it('deletes a queue only after its last execution has ended', async () => {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const queues = context.get(WorkerQueueService);
    const { id } = await queues.create(caller, 'default', { name: 'short-lived' });
    const agent = await context.get(AgentService).create(caller, { name: 'writer' });
    const ref = { kind: 'agent', id: agent.id } as const;
    const { execution } = await context
      .get(RequestedRunService)
      .start(caller, ref, { prompt: 'Go', worker_queue_id: id });
    const deletions = context.get(ManagedQueueService);
    await expect(deletions.delete(caller, id)).rejects.toMatchObject({
      code: 'worker_queue_has_work',
      message: 'Unfinished executions of the worker queue: 1; wait for them or cancel them first',
    });
    await expect(deletions.delete(testCaller(), id)).rejects.toMatchObject({ code: 'worker_queue_not_found' });
    await context.get(ExecutionService).cancel(caller, execution.id, null);
    await deletions.delete(caller, id);
    expect(await queues.find(caller, id)).toBeUndefined();
  });
});
