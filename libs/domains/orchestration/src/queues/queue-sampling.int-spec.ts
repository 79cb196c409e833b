import { AgentsModule } from '@app/agents';
import { EnvironmentProvisioner, WorkerQueueService, WorkerService } from '@app/environments';
import { ExecutionService } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OrchestrationHandlersModule } from '../orchestration.handlers.module.js';
import { QueueSamplingTask } from './queue-sampling.task.js';
import { QueueSeriesService } from './queue-series.service.js';

const neverAborted = new AbortController().signal;

interface Sample {
  readonly worker_queue_id: string;
  readonly waiting: number;
  readonly workers: number;
}

describe('samples of the load of queues', () => {
  let context: TestContext;
  let task: QueueSamplingTask;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule, TeamsModule, OrchestrationHandlersModule]);
    task = context.get(QueueSamplingTask);
  });

  afterAll(() => context.close());

  async function newQueue(): Promise<{
    readonly caller: Caller;
    readonly queueId: string;
    readonly environmentId: string;
  }> {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const { items } = await context.get(WorkerQueueService).listIn(caller, 'default', { skip: 0, limit: 1 });
    return { caller, queueId: items[0]?.id ?? '', environmentId: items[0]?.environment_id ?? '' };
  }

  /** Takes a sample, moves it to `slotsAgo` slots earlier, and returns its rows of an organization. */
  async function sampleAt({ organizationId }: Caller, slotsAgo: number): Promise<Sample[]> {
    await task.run(neverAborted);
    return context.database.sql<Sample>(
      `UPDATE worker_queue_samples SET at = at - $2::integer * interval '15 seconds'
       WHERE organization_id = $1 AND at = (SELECT max(at) FROM worker_queue_samples WHERE organization_id = $1)
       RETURNING worker_queue_id, waiting, workers`,
      [organizationId, slotsAgo],
    );
  }

  it('have the waiting executions and live workers of a queue and of the organization, zeros if there are none', async () => {
    const { caller, queueId, environmentId } = await newQueue();
    const worker = await context.get(WorkerService).start(caller, queueId, {});
    const execution = await context.get(ExecutionService).start(caller, {
      ...{ executionType: 'agent', entityId: null, entityName: null, prompt: 'Wait', user: caller, triggerType: 'api' },
      assignment: { workerQueueId: queueId, environmentId },
    });
    const loaded = await sampleAt(caller, 2);
    expect(new Map(loaded.map((sample) => [sample.worker_queue_id, sample]))).toEqual(
      new Map(['', queueId].map((id) => [id, { worker_queue_id: id, waiting: 1, workers: 1 }])),
    );
    await context.get(ExecutionService).cancel(caller, execution.id, null);
    await context.get(WorkerService).disconnect(caller, worker.worker_id, {});
    const ended = await sampleAt(caller, 1);
    expect(ended.map(({ waiting, workers }) => ({ waiting, workers }))).toEqual([
      { waiting: 0, workers: 0 },
      { waiting: 0, workers: 0 },
    ]);
    const { buckets } = await context.get(QueueSeriesService).read(caller, { queueId, bucketSeconds: 300 });
    expect(Math.max(...buckets.map(({ waiting_max }) => waiting_max))).toBe(1);
    const other = await newQueue();
    const foreign = context.get(QueueSeriesService).read(other.caller, { queueId });
    await expect(foreign).rejects.toMatchObject({ code: 'worker_queue_not_found' });
    const own = await context.get(QueueSeriesService).read(other.caller, {});
    expect(Math.max(...own.buckets.map(({ waiting_max }) => waiting_max))).toBe(0);
  });

  it('are taken once for each time, and deleted after eight days', async () => {
    const { caller, queueId } = await newQueue();
    await context.get(WorkerService).start(caller, queueId, {});
    await Promise.all([task.run(neverAborted), task.run(neverAborted)]);
    const count = async (): Promise<number> => {
      const text = 'SELECT DISTINCT at FROM worker_queue_samples WHERE organization_id = $1 AND worker_queue_id = $2';
      return (await context.database.sql(text, [caller.organizationId, queueId])).length;
    };
    expect(await count()).toBeGreaterThan(0);
    await context.database.sql(
      "UPDATE worker_queue_samples SET at = at - interval '9 days' WHERE organization_id = $1",
      [caller.organizationId],
    );
    const old = await count();
    await task.run(neverAborted);
    const left = await context.database.sql(
      "SELECT 1 FROM worker_queue_samples WHERE at < statement_timestamp() - interval '8 days'",
    );
    expect(old).toBeGreaterThan(0);
    expect(left).toEqual([]);
  });
});
