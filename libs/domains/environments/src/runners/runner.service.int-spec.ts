import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@app/kernel';
import { createTestContext, eventually, ManualClock, testCaller, type TestContext } from '@app/testing';
import { EnvironmentsModule } from '../environments.module.js';
import { EnvironmentProvisioner } from '../environments/environment-provisioner.js';
import { WorkerRegistrationService } from '../workers/worker-registration.service.js';
import type { StartedWorker } from '../workers/worker.types.js';
import { RunnerRepository } from './runner.repository.js';
import { RunnerService } from './runner.service.js';
import type { Runner } from './runner.types.js';

describe('RunnerService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let runners: RunnerService;

  beforeAll(async () => {
    context = await createTestContext([EnvironmentsModule], { clock });
    runners = context.get(RunnerService);
  });

  afterAll(() => context.close());

  async function newCaller(): Promise<Caller> {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    return caller;
  }

  const start = (caller: Caller): Promise<StartedWorker> =>
    context.get(WorkerRegistrationService).register(caller, { runner_name: 'gpu' });

  const list = async (caller: Caller): Promise<readonly Runner[]> =>
    (await runners.list(caller, {}, { skip: 0, limit: 10 })).items;

  it('shows the start of the newest worker of a runner, which the first worker creates', async () => {
    const caller = await newCaller();
    await start(caller);
    const [created, ...others] = await list(caller);
    expect(created).toMatchObject({ name: 'gpu', last_started_at: clock.now(), created_at: clock.now() });
    expect(others).toEqual([]);
    clock.advance(1000);
    await start(caller);
    expect(await list(caller)).toEqual([{ ...created, last_started_at: clock.now() }]);
  });

  it('creates a runner again if it is deleted while a worker of it starts', async () => {
    const caller = await newCaller();
    const { id } = await runners.create(caller, { name: 'gpu' });
    let begin = (): void => undefined;
    const started = new Promise<void>((resolve) => {
      begin = resolve;
    }).then(() => start(caller));
    await context.database.transaction(async () => {
      // The worker starts after the deletion has locked the runner and found no workers.
      await context.get(RunnerRepository).lock(caller, id);
      begin();
      await eventually(async () => {
        expect(await context.database.sql('SELECT 1 AS one FROM pg_locks WHERE NOT granted')).not.toEqual([]);
      });
      await runners.delete(caller, id);
    });
    await started;
    expect(await list(caller)).toMatchObject([{ name: 'gpu', last_started_at: clock.now() }]);
  });
});
