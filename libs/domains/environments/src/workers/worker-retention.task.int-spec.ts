import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { EnvironmentProvisioner } from '../environments/environment-provisioner.js';
import { EnvironmentsHandlersModule } from '../environments.handlers.module.js';
import { WorkerQueueService } from '../worker-queues/worker-queue.service.js';
import { FIND_ACTIVE_QUEUES_IN } from '../worker-queues/worker-queue.sql.js';
import { WorkerRetentionTask } from './worker-retention.task.js';
import { WorkerService } from './worker.service.js';

const never = new AbortController().signal;
/** Number of dead workers that is enough to show the plan. The design was measured with 100,000. */
const DEAD = 2000;

describe('WorkerRetentionTask', () => {
  const caller = testCaller();
  let context: TestContext;
  let workers: WorkerService;
  let task: WorkerRetentionTask;

  beforeAll(async () => {
    context = await createTestContext([EnvironmentsHandlersModule]);
    workers = context.get(WorkerService);
    task = context.get(WorkerRetentionTask);
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
  });

  afterAll(() => context.close());

  const newQueue = async (name: string): Promise<string> =>
    (await context.get(WorkerQueueService).create(caller, 'default', { name })).id;
  const start = async (queueId: string): Promise<string> => (await workers.start(caller, queueId, {})).worker_id;
  /** Moves the last heartbeat and the disconnection of a worker into the past. */
  const age = async (id: string, hours: number): Promise<void> => {
    await context.database.sql(
      `UPDATE workers SET last_heartbeat_at = last_heartbeat_at - $2 * interval '1 hour',
         disconnected_at = disconnected_at - $2 * interval '1 hour' WHERE id = $1`,
      [id, hours],
    );
  };

  it('deletes workers a day after they disconnected or sent their last heartbeat', async () => {
    const queueId = await newQueue('day');
    const [gone, stale, alive] = [await start(queueId), await start(queueId), await start(queueId)];
    await workers.disconnect(caller, gone, {});
    for (const id of [gone, stale]) await age(id, 23);
    await task.run(never);
    expect((await workers.read(caller, gone)).status).toBe('disconnected');
    expect((await workers.read(caller, stale)).status).toBe('stale');
    for (const id of [gone, stale]) await age(id, 2);
    await task.run(never);
    await expect(workers.read(caller, gone)).rejects.toThrow('Worker not found');
    await expect(workers.read(caller, stale)).rejects.toThrow('Worker not found');
    expect((await workers.read(caller, alive)).status).toBe('active');
  });

  it('counts a dormant worker as live again after its next heartbeat', async () => {
    const queueId = await newQueue('return');
    const id = await start(queueId);
    await age(id, 1);
    await task.run(never);
    expect((await workers.read(caller, id)).status).toBe('stale');
    await workers.heartbeat(caller, id, {});
    expect((await workers.read(caller, id)).status).toBe('active');
    expect((await context.get(WorkerQueueService).read(caller, queueId)).active_workers).toBe(1);
  });

  it('keeps a routed start from reading dead workers', async () => {
    const queueId = await newQueue('dead');
    const alive = await start(queueId);
    await age(alive, 1);
    await context.database.sql(
      `INSERT INTO workers SELECT dead.* FROM workers w, generate_series(1, ${DEAD}) n,
         LATERAL json_populate_record(w, json_build_object('id', 'dead-' || n)) dead WHERE w.id = $1`,
      [alive],
    );
    await workers.heartbeat(caller, alive, {});
    await task.run(never);
    await context.database.dataSource.query('VACUUM ANALYZE workers');
    const { text } = FIND_ACTIVE_QUEUES_IN;
    const values = [`'${caller.organizationId}'`, `ARRAY['default']`, `ARRAY['default']`, `'{}'`];
    const literal = text.replaceAll(/\$([1-4])/g, (_parameter, number: string) => values[Number(number) - 1] ?? '');
    const plan = await context.database.sql<{ 'QUERY PLAN': string }>(`EXPLAIN ANALYZE ${literal}`);
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).toContain('ix_workers_worker_queue_id_awake');
    expect(lines).not.toMatch(/Rows Removed by Filter: [0-9]{3}/);
  });
});
