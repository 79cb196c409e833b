import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { TaskQueues } from '@app/dispatch';
import { newId, type Caller } from '@app/kernel';
import { createTestContext, eventually, ManualClock, testCaller, type TestContext } from '@app/testing';
import { EnvironmentsModule } from '../environments.module.js';
import { EnvironmentProvisioner } from '../environments/environment-provisioner.js';
import { EnvironmentService } from '../environments/environment.service.js';
import { WorkerService } from '../workers/worker.service.js';
import { WorkerQueueService } from './worker-queue.service.js';
import { passHeartbeatTime } from '../testing/heartbeat-time.js';

const everything = { skip: 0, limit: 100 };
const noWork = async () => 0;

describe('worker queues', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let environments: EnvironmentService;
  let queues: WorkerQueueService;
  let workers: WorkerService;

  beforeAll(async () => {
    context = await createTestContext([EnvironmentsModule], { clock });
    environments = context.get(EnvironmentService);
    queues = context.get(WorkerQueueService);
    workers = context.get(WorkerService);
  });

  afterAll(() => context.close());

  /** An organization with its defaults. */
  async function newOrganization(): Promise<Caller> {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    return caller;
  }

  it('are created with defaults for omitted fields and read back unchanged', async () => {
    const caller = await newOrganization();
    const environment = await environments.read(caller, 'default');
    const created = await queues.create(caller, 'default', { name: 'gpu' });
    expect(created).toEqual({
      id: created.id,
      organization_id: caller.organizationId,
      environment_id: environment.id,
      name: 'gpu',
      display_name: '',
      description: '',
      status: 'active',
      max_workers: null,
      heartbeat_interval: 60,
      tags: [],
      settings: {},
      active_workers: 0,
      created_by: caller.userId,
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await queues.read(caller, created.id)).toEqual(created);
  });

  it('have a name that is unique in their environment', async () => {
    const caller = await newOrganization();
    await environments.create(caller, { name: 'other' });
    await expect(queues.create(caller, 'default', { name: 'default' })).rejects.toMatchObject({ kind: 'conflict' });
    const { id } = await queues.create(caller, 'other', { name: 'default' });
    await queues.create(caller, 'other', { name: 'second' });
    await expect(queues.update(caller, id, { name: 'second' })).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('need an environment of the same organization', async () => {
    const { id } = await environments.create(testCaller(), { name: 'theirs' });
    await expect(queues.create(testCaller(), id, { name: 'mine' })).rejects.toThrow('Environment not found');
    await expect(queues.listIn(testCaller(), id, everything)).rejects.toThrow('Environment not found');
  });

  it('are updated partially; without a limit they accept any number of workers', async () => {
    const caller = await newOrganization();
    const created = await queues.create(caller, 'default', {
      name: 'q-1',
      max_workers: 1,
      description: 'd',
      tags: ['t'],
    });
    clock.advance(1);
    const changed = await queues.update(caller, created.id, { max_workers: null, description: null, status: 'paused' });
    const updates = { max_workers: null, description: '', status: 'paused', updated_at: clock.now() };
    expect(changed).toEqual({ ...created, ...updates });
  });

  it('are listed newest first and filtered by environment and status', async () => {
    const caller = await newOrganization();
    const other = await environments.create(caller, { name: 'other' });
    clock.advance(1);
    const paused = await queues.create(caller, 'other', { name: 'paused' });
    await queues.update(caller, paused.id, { status: 'paused' });
    clock.advance(1);
    await queues.create(caller, 'other', { name: 'newest' });
    const names = async (filter: object) =>
      (await queues.list(caller, filter, everything)).items.map(({ name }) => name);
    expect(await names({})).toEqual(['newest', 'paused', 'default']);
    expect(await names({ environment_id: other.id })).toEqual(['newest', 'paused']);
    expect(await names({ environment_id: other.id, status: 'paused' })).toEqual(['paused']);
    expect((await queues.listIn(caller, 'other', { skip: 0, limit: 1 })).total).toBe(2);
  });

  it('count workers that are neither disconnected nor stale as active', async () => {
    const caller = await newOrganization();
    const { id } = await queues.create(caller, 'default', { name: 'counted', heartbeat_interval: 10 });
    const { worker_id: quiet } = await workers.start(caller, id, {});
    await passHeartbeatTime(context.database, 15_000);
    const { worker_id: gone } = await workers.start(caller, id, {});
    await workers.start(caller, id, {});
    await workers.disconnect(caller, gone, {});
    expect((await queues.read(caller, id)).active_workers).toBe(2);
    await passHeartbeatTime(context.database, 15_000);
    expect((await queues.read(caller, id)).active_workers).toBe(1);
    await workers.heartbeat(caller, quiet, {});
    expect((await queues.read(caller, id)).active_workers).toBe(2);
  });

  it('can be deleted only without connected workers and unfinished work', async () => {
    const caller = await newOrganization();
    const { id } = await queues.create(caller, 'default', { name: 'done' });
    const { worker_id } = await workers.start(caller, id, {});
    await expect(queues.delete(caller, id, noWork)).rejects.toMatchObject({
      code: 'worker_queue_has_workers',
      message: 'Connected workers of this queue: 1; disconnect them first',
    });
    await workers.disconnect(caller, worker_id, {});
    await expect(queues.delete(caller, id, async () => 12)).rejects.toMatchObject({
      code: 'worker_queue_has_work',
      message: 'Unfinished executions of the worker queue: 12; wait for them or cancel them first',
    });
    await queues.delete(caller, id, noWork);
    await expect(queues.read(caller, id)).rejects.toThrow('Worker queue not found');
    await expect(workers.read(caller, worker_id)).rejects.toThrow('Worker not found');
  });

  it('leave nothing in Redis when they are deleted', async () => {
    const caller = await newOrganization();
    const { id } = await queues.create(caller, 'default', { name: 'leftover' });
    const { commands } = context.get(RedisConnections);
    await context.get(TaskQueues).enqueue(id, { ...caller, executionId: newId(), attempt: 1 });
    expect(await commands.keys(`*${id}*`)).not.toEqual([]);
    await queues.delete(caller, id, noWork);
    await eventually(async () => expect(await commands.keys(`*${id}*`)).toEqual([]));
  });

  it('cannot be read, changed or deleted by another organization', async () => {
    const caller = await newOrganization();
    const { id } = await queues.create(caller, 'default', { name: 'mine' });
    const stranger = testCaller();
    await expect(queues.read(stranger, id)).rejects.toThrow('Worker queue not found');
    await expect(queues.update(stranger, id, { status: 'paused' })).rejects.toThrow('Worker queue not found');
    await expect(queues.delete(stranger, id, noWork)).rejects.toThrow('Worker queue not found');
    await expect(workers.start(stranger, id, {})).rejects.toThrow('Worker queue not found');
  });
});
