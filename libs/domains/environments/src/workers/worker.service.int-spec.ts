import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { EnvironmentsModule } from '../environments.module.js';
import { EnvironmentProvisioner } from '../environments/environment-provisioner.js';
import { WorkerQueueService } from '../worker-queues/worker-queue.service.js';
import { WorkerRegistrationService } from './worker-registration.service.js';
import { WorkerService } from './worker.service.js';
import { passHeartbeatTime } from '../testing/heartbeat-time.js';

const everything = { skip: 0, limit: 100 };

describe('workers', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let queues: WorkerQueueService;
  let registration: WorkerRegistrationService;
  let workers: WorkerService;

  beforeAll(async () => {
    context = await createTestContext([EnvironmentsModule], { clock });
    queues = context.get(WorkerQueueService);
    registration = context.get(WorkerRegistrationService);
    workers = context.get(WorkerService);
  });

  afterAll(() => context.close());

  async function newQueue(settings: object = {}): Promise<{ caller: Caller; queueId: string }> {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const { id } = await queues.create(caller, 'default', { name: 'work', heartbeat_interval: 10, ...settings });
    return { caller, queueId: id };
  }

  it('start in a queue and receive its settings', async () => {
    const { caller, queueId } = await newQueue();
    const started = await workers.start(caller, queueId, { hostname: 'h1', worker_metadata: { z: 1, a: 2 } });
    expect(started).toEqual({
      worker_id: started.worker_id,
      organization_id: caller.organizationId,
      worker_queue_id: queueId,
      queue_name: 'work',
      environment_name: 'default',
      runner_name: null,
      heartbeat_interval: 10,
    });
    const worker = await workers.read(caller, started.worker_id);
    expect(worker).toMatchObject({ status: 'active', hostname: 'h1', queue_name: 'work', environment_name: 'default' });
    expect(JSON.stringify(worker.worker_metadata)).toBe('{"z":1,"a":2}');
  });

  it('never exceed max_workers, even for concurrent starts', async () => {
    const { caller, queueId } = await newQueue({ max_workers: 3 });
    const starts = await Promise.allSettled(Array.from({ length: 12 }, () => workers.start(caller, queueId, {})));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const start of starts) {
      if (start.status === 'rejected') expect(start.reason).toMatchObject({ code: 'worker_queue_full' });
    }
    expect((await queues.read(caller, queueId)).active_workers).toBe(3);
  });

  it('free their slot when they disconnect or become stale', async () => {
    const { caller, queueId } = await newQueue({ max_workers: 1 });
    const { worker_id } = await workers.start(caller, queueId, {});
    await workers.disconnect(caller, worker_id, {});
    await workers.start(caller, queueId, {});
    await expect(workers.start(caller, queueId, {})).rejects.toMatchObject({ kind: 'conflict' });
    await passHeartbeatTime(context.database, 30_000);
    await expect(workers.start(caller, queueId, {})).resolves.toBeDefined();
  });

  it('become stale after three intervals without a heartbeat, and live again with the next one', async () => {
    const { caller, queueId } = await newQueue();
    const { worker_id } = await workers.start(caller, queueId, {});
    await workers.heartbeat(caller, worker_id, { status: 'busy' });
    await passHeartbeatTime(context.database, 20_000);
    expect((await workers.read(caller, worker_id)).status).toBe('busy');
    await passHeartbeatTime(context.database, 10_000);
    expect((await workers.read(caller, worker_id)).status).toBe('stale');
    await workers.heartbeat(caller, worker_id, {});
    expect((await workers.read(caller, worker_id)).status).toBe('busy');
  });

  it('are live according to the clock of the database, whatever the clock of the process shows', async () => {
    const { caller, queueId } = await newQueue();
    for (const difference of [86_400_000, -2 * 86_400_000]) {
      const { worker_id } = await workers.start(caller, queueId, {});
      clock.advance(difference);
      expect((await workers.read(caller, worker_id)).status).toBe('active');
      await workers.heartbeat(caller, worker_id, {});
      clock.advance(-difference);
      expect((await workers.read(caller, worker_id)).status).toBe('active');
    }
  });

  it('receive the current interval of their queue with each heartbeat', async () => {
    const { caller, queueId } = await newQueue();
    const { worker_id } = await workers.start(caller, queueId, {});
    await queues.update(caller, queueId, { heartbeat_interval: 20 });
    await passHeartbeatTime(context.database, 5000);
    const before = (await workers.read(caller, worker_id)).last_heartbeat_at;
    const beat = await workers.heartbeat(caller, worker_id, { status: 'idle', worker_metadata: { load: 1 } });
    expect(beat).toEqual({
      worker_id,
      worker_queue_id: queueId,
      status: 'idle',
      last_heartbeat_at: expect.any(Date),
      heartbeat_interval: 20,
    });
    expect(beat.last_heartbeat_at.getTime() - before.getTime()).toBeGreaterThanOrEqual(5000);
    expect((await workers.read(caller, worker_id)).worker_metadata).toEqual({ load: 1 });
  });

  it('stay disconnected: late heartbeats and polls are rejected', async () => {
    const { caller, queueId } = await newQueue();
    const { worker_id } = await workers.start(caller, queueId, {});
    await workers.disconnect(caller, worker_id, {});
    const refusal = { kind: 'conflict', code: 'worker_disconnected' };
    await expect(workers.heartbeat(caller, worker_id, { status: 'busy' })).rejects.toMatchObject(refusal);
    await expect(workers.readPolling(caller, worker_id)).rejects.toMatchObject(refusal);
    expect((await workers.read(caller, worker_id)).status).toBe('disconnected');
    await passHeartbeatTime(context.database, 60_000);
    expect((await workers.read(caller, worker_id)).status).toBe('disconnected');
  });

  it('keep the reason of their first disconnection', async () => {
    const { caller, queueId } = await newQueue();
    const { worker_id } = await workers.start(caller, queueId, {});
    const crash = { reason: 'crash', exit_code: 137, error_message: 'out of memory' };
    const first = await workers.disconnect(caller, worker_id, crash);
    expect(first).toEqual({ worker_id, ...crash, disconnected_at: clock.now() });
    clock.advance(1000);
    const second = await workers.disconnect(caller, worker_id, { reason: 'shutdown', exit_code: 0 });
    expect(second).toEqual(first);
  });

  it('are disconnected with the reason shutdown by default', async () => {
    const { caller, queueId } = await newQueue();
    const { worker_id } = await workers.start(caller, queueId, {});
    const disconnected = await workers.disconnect(caller, worker_id, {});
    expect(disconnected).toMatchObject({ reason: 'shutdown', exit_code: null, error_message: null });
  });

  it('may take work only while connected and with an active queue', async () => {
    const { caller, queueId } = await newQueue();
    const { worker_id } = await workers.start(caller, queueId, {});
    expect(await workers.mayTakeWork(caller, worker_id)).toBe(true);
    for (const status of ['paused', 'inactive'] as const) {
      await queues.update(caller, queueId, { status });
      expect(await workers.mayTakeWork(caller, worker_id)).toBe(false);
    }
    await queues.update(caller, queueId, { status: 'active' });
    await workers.disconnect(caller, worker_id, {});
    await expect(workers.mayTakeWork(caller, worker_id)).rejects.toMatchObject({ code: 'worker_disconnected' });
  });

  it('are listed newest first and filtered by queue and current state', async () => {
    const { caller, queueId } = await newQueue();
    const { worker_id: silent } = await workers.start(caller, queueId, {});
    clock.advance(30_000);
    await passHeartbeatTime(context.database, 30_000);
    const { worker_id: fresh } = await workers.start(caller, queueId, {});
    const elsewhere = await registration.register(caller, {});
    const ids = async (filter: object) => (await workers.list(caller, filter, everything)).items.map(({ id }) => id);
    expect(await ids({ worker_queue_id: queueId })).toEqual([fresh, silent]);
    expect(await ids({ status: 'stale' })).toEqual([silent]);
    expect((await ids({ status: 'active' })).sort()).toEqual([fresh, elsewhere.worker_id].sort());
    expect((await workers.listIn(caller, queueId, { skip: 0, limit: 1 })).total).toBe(2);
  });

  it('cannot be read or used by another organization', async () => {
    const { caller, queueId } = await newQueue();
    const { worker_id } = await workers.start(caller, queueId, {});
    const stranger = testCaller();
    await expect(workers.read(stranger, worker_id)).rejects.toThrow('Worker not found');
    await expect(workers.heartbeat(stranger, worker_id, {})).rejects.toThrow('Worker not found');
    await expect(workers.disconnect(stranger, worker_id, {})).rejects.toThrow('Worker not found');
    await expect(workers.readPolling(stranger, worker_id)).rejects.toThrow('Worker not found');
    await expect(workers.mayTakeWork(stranger, worker_id)).rejects.toThrow('Worker not found');
    expect(await workers.mayTakeWork(caller, worker_id)).toBe(true);
    expect(await workers.list(stranger, {}, everything)).toEqual({ items: [], total: 0 });
    await expect(workers.listIn(stranger, queueId, everything)).rejects.toThrow('Worker queue not found');
  });
});
