import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { EnvironmentsModule } from '../environments.module.js';
import { WorkerQueueService } from '../worker-queues/worker-queue.service.js';
import { WorkerService } from '../workers/worker.service.js';
import { EnvironmentProvisioner } from './environment-provisioner.js';
import { EnvironmentService } from './environment.service.js';
import { passHeartbeatTime } from '../testing/heartbeat-time.js';

const everything = { skip: 0, limit: 100 };
const noWork = async () => 0;

describe('environments', () => {
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

  it('are created with defaults for omitted fields and read back unchanged', async () => {
    const caller = testCaller();
    const created = await environments.create(caller, { name: 'prod' });
    expect(created).toEqual({
      id: created.id,
      organization_id: caller.organizationId,
      name: 'prod',
      display_name: '',
      description: null,
      tags: [],
      settings: {},
      execution_environment: {},
      status: 'active',
      active_workers: 0,
      idle_workers: 0,
      busy_workers: 0,
      worker_token: created.worker_token,
      provisioned_at: clock.now(),
      error_message: null,
      created_by: caller.userId,
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await environments.read(caller, created.id)).toEqual(created);
    expect(await environments.read(caller, 'prod')).toEqual(created);
  });

  it('are found by id rather than by name if the name of one is the id of another', async () => {
    const caller = testCaller();
    const meant = await environments.create(caller, { name: 'meant' });
    await environments.create(caller, { name: meant.id });
    expect((await environments.read(caller, meant.id)).name).toBe('meant');
  });

  it('have a name that is unique in the organization, on create and update', async () => {
    const caller = testCaller();
    await environments.create(caller, { name: 'one' });
    await environments.create(caller, { name: 'two' });
    await expect(environments.create(caller, { name: 'one' })).rejects.toMatchObject({ kind: 'conflict' });
    await expect(environments.update(caller, 'two', { name: 'one' })).rejects.toMatchObject({ kind: 'conflict' });
    await expect(environments.create(testCaller(), { name: 'one' })).resolves.toBeDefined();
  });

  it('are listed newest first in pages with the total count', async () => {
    const caller = testCaller();
    for (const name of ['first', 'second', 'third']) {
      await environments.create(caller, { name });
      clock.advance(1);
    }
    const listed = await environments.list(caller, { skip: 1, limit: 1 });
    expect(listed.items.map(({ name }) => name)).toEqual(['second']);
    expect(listed.total).toBe(3);
    expect((await environments.list(caller, { skip: 9, limit: 1 })).total).toBe(3);
  });

  it('cannot be read, changed or deleted by another organization', async () => {
    const { id } = await environments.create(testCaller(), { name: 'mine' });
    const stranger = testCaller();
    await expect(environments.read(stranger, id)).rejects.toThrow('Environment not found');
    await expect(environments.update(stranger, id, { status: 'error' })).rejects.toThrow('Environment not found');
    await expect(environments.delete(stranger, id)).rejects.toThrow('Environment not found');
    expect((await environments.list(stranger, everything)).total).toBe(0);
  });

  it('count their live workers by state', async () => {
    const caller = testCaller();
    const { id } = await environments.create(caller, { name: 'manned' });
    const queue = await queues.create(caller, id, { name: 'work', heartbeat_interval: 10 });
    const started = [];
    for (let count = 0; count < 4; count += 1) started.push(await workers.start(caller, queue.id, {}));
    const [idle, busy, gone] = started.map(({ worker_id }) => worker_id) as [string, string, string, string];
    await workers.heartbeat(caller, idle, { status: 'idle' });
    await workers.heartbeat(caller, busy, { status: 'busy' });
    await workers.disconnect(caller, gone, {});
    const expected = { active_workers: 3, idle_workers: 1, busy_workers: 1 };
    expect(await environments.read(caller, id)).toMatchObject(expected);
    expect((await environments.list(caller, everything)).items[0]).toMatchObject(expected);
    await passHeartbeatTime(context.database, 30_000);
    expect(await environments.read(caller, id)).toMatchObject({ active_workers: 0, idle_workers: 0, busy_workers: 0 });
  });

  it('can be deleted only if they have no queues', async () => {
    const caller = testCaller();
    const { id } = await environments.create(caller, { name: 'short-lived' });
    const queue = await queues.create(caller, id, { name: 'work' });
    await expect(environments.delete(caller, id)).rejects.toMatchObject({
      code: 'environment_has_queues',
      message: 'The environment still has the worker queues work; delete them first',
    });
    for (let n = 10; n <= 20; n += 1) await queues.create(caller, id, { name: `queue-${n}` });
    await expect(environments.delete(caller, id)).rejects.toThrow(/queues queue-10, .*queue-19 and 2 more; delete/);
    for (const { id: other } of (await queues.list(caller, { environment_id: id }, everything)).items) {
      if (other !== queue.id) await queues.delete(caller, other, noWork);
    }
    await queues.delete(caller, queue.id, noWork);
    await environments.delete(caller, id);
    await expect(environments.read(caller, id)).rejects.toThrow('Environment not found');
  });

  it('never lose a queue that is created during their deletion', async () => {
    const caller = testCaller();
    for (let round = 0; round < 30; round += 1) {
      const { id } = await environments.create(caller, { name: `race-${round}` });
      const [made, deleted] = await Promise.allSettled([
        queues.create(caller, id, { name: 'work' }),
        environments.delete(caller, id),
      ]);
      expect([made.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
      const refused = made.status === 'rejected' ? made : deleted;
      expect(refused).toMatchObject({ reason: { kind: made === refused ? 'not_found' : 'conflict' } });
    }
  });

  describe('of a new organization', () => {
    it('consist of one named default with a queue named default, even if they are provisioned several times', async () => {
      const scope = testCaller();
      await context.get(EnvironmentProvisioner).provisionDefaults(scope);
      await context.get(EnvironmentProvisioner).provisionDefaults(scope);
      const { items } = await environments.list(scope, everything);
      expect(items.map(({ name, created_by }) => [name, created_by])).toEqual([['default', null]]);
      const { items: inDefault } = await queues.listIn(scope, 'default', everything);
      expect(inDefault.map(({ name }) => name)).toEqual(['default']);
    });

    it('include a default one that can be changed, but neither deleted nor renamed', async () => {
      const scope = testCaller();
      await context.get(EnvironmentProvisioner).provisionDefaults(scope);
      const refusal = { kind: 'conflict', code: 'environment_is_default' };
      await expect(environments.delete(scope, 'default')).rejects.toMatchObject(refusal);
      await expect(environments.update(scope, 'default', { name: 'other' })).rejects.toMatchObject(refusal);
      const changed = await environments.update(scope, 'default', { name: 'default', description: 'Where all begins' });
      expect(changed.description).toBe('Where all begins');
    });
  });
});
