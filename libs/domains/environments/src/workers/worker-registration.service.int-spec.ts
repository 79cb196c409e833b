import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@app/kernel';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { EnvironmentsModule } from '../environments.module.js';
import { EnvironmentProvisioner } from '../environments/environment-provisioner.js';
import { EnvironmentService } from '../environments/environment.service.js';
import { WorkerQueueService } from '../worker-queues/worker-queue.service.js';
import { WorkerRegistrationService } from './worker-registration.service.js';

describe('WorkerRegistrationService', () => {
  let context: TestContext;
  let environments: EnvironmentService;
  let queues: WorkerQueueService;
  let registration: WorkerRegistrationService;

  beforeAll(async () => {
    context = await createTestContext([EnvironmentsModule]);
    environments = context.get(EnvironmentService);
    queues = context.get(WorkerQueueService);
    registration = context.get(WorkerRegistrationService);
  });

  afterAll(() => context.close());

  /** An organization with its defaults. */
  async function newOrganization(): Promise<Caller> {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    return caller;
  }

  it('uses the default queue of the default environment if the worker names none', async () => {
    const caller = await newOrganization();
    const started = await registration.register(caller, {});
    expect(started).toMatchObject({ queue_name: 'default', environment_name: 'default', heartbeat_interval: 60 });
  });

  it('uses the environment of the token or name and the named queue', async () => {
    const caller = await newOrganization();
    const { worker_token } = await environments.create(caller, { name: 'east' });
    await queues.create(caller, 'east', { name: 'first' });
    await queues.create(caller, 'east', { name: 'second' });
    const byToken = await registration.register(caller, { worker_token });
    expect(byToken).toMatchObject({ environment_name: 'east', queue_name: 'first' });
    const named = { environment_name: 'east', worker_queue_name: 'second' };
    expect(await registration.register(caller, named)).toMatchObject({ queue_name: 'second' });
  });

  it('prefers the environment with the given id to one whose name equals that id', async () => {
    const caller = await newOrganization();
    const own = await environments.create(caller, { name: 'own' });
    const namesake = await environments.create(caller, { name: own.id });
    await queues.create(caller, namesake.id, { name: 'work' });
    await queues.create(caller, 'own', { name: 'work' });
    for (const worker of [
      { environment_name: own.id },
      { environment_name: own.id, worker_queue_name: 'work' },
      { worker_token: own.worker_token },
    ]) {
      expect((await registration.register(caller, worker)).environment_name).toBe('own');
    }
  });

  it('rejects an unknown environment, token or queue', async () => {
    const caller = await newOrganization();
    const bare = await environments.create(caller, { name: 'bare' });
    const { worker_token } = await environments.create(testCaller(), { name: 'theirs' });
    const refused = async (worker: object, code: string) =>
      expect(registration.register(caller, worker)).rejects.toMatchObject({ code });
    await refused({ environment_name: 'nope' }, 'environment_not_found');
    await refused({ worker_token }, 'environment_not_found');
    await refused({ worker_queue_name: 'nope' }, 'worker_queue_not_found');
    await refused({ environment_name: 'bare' }, 'no_active_worker_queue');
    const mixed = { worker_token: bare.worker_token, environment_name: 'default' };
    await expect(registration.register(caller, mixed)).rejects.toThrow('in the environment of the worker_token');
  });
});
