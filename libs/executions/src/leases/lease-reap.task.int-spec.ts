import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DispatchConfig, loadConfig } from '@app/config';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReapTask } from './lease-reap.task.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseService } from './lease.service.js';
import { OpenGateModule } from '../executions/open-gate.module.js';
import { startOf } from '../testing/start-of.js';

const LEASE_MS = 60_000;
const GRACE_MS = 15_000;
const STEP_MS = 1000;

describe('the reaper of leases', () => {
  const clock = new ManualClock(new Date('2026-03-01T12:00:00Z'));
  const running = new AbortController().signal;
  let context: TestContext;
  let executions: ExecutionService;

  beforeAll(async () => {
    context = await createTestContext([ExecutionsModule, OpenGateModule], { clock });
    executions = context.get(ExecutionService);
  });

  afterAll(() => context.close());

  const newReaper = (): LeaseReapTask =>
    new LeaseReapTask(context.get(LeaseReleaseService), context.database, clock, {
      ...loadConfig(DispatchConfig, {}),
      reconcileIntervalMs: STEP_MS,
      leaseGraceMs: GRACE_MS,
    });

  /** Runs it as its runner does, for so long. */
  async function runFor(reaper: LeaseReapTask, milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += STEP_MS) {
      await reaper.run(running);
      clock.advance(STEP_MS);
    }
  }

  async function startedRun(): Promise<{ scope: Scope; id: string; leaseToken: string }> {
    const scope = { organizationId: newId() };
    const queueId = newId();
    await executions.start(scope, startOf(queueId));
    const poll = { workerId: newId(), queueId, max: 1, waitMs: 5000, leaseMs: LEASE_MS, confirmMs: LEASE_MS };
    const [lease] = await context.get(LeaseService).poll(scope, poll);
    if (lease === undefined) throw new Error('Nothing was leased');
    await executions.patch(scope, lease.execution.id, { status: 'running' }, lease.leaseToken);
    return { scope, id: lease.execution.id, leaseToken: lease.leaseToken };
  }

  it('takes the lease of a worker that is silent for as long as it lasts', async () => {
    const reaper = newReaper();
    await runFor(reaper, GRACE_MS);
    const { scope, id } = await startedRun();
    await runFor(reaper, LEASE_MS - STEP_MS);
    expect(await executions.read(scope, id)).toMatchObject({ status: 'running' });
    await runFor(reaper, 2 * STEP_MS);
    expect(await executions.read(scope, id)).toMatchObject({ status: 'pending' });
  });

  it('lets workers renew first when it was away itself, at its start and after a pause', async () => {
    const reaper = newReaper();
    for (const away of ['not started yet', 'stopped for a while']) {
      const { scope, id, leaseToken } = await startedRun();
      clock.advance(2 * LEASE_MS);
      await runFor(reaper, GRACE_MS - STEP_MS);
      await executions.patch(scope, id, { execution_metadata: { away } }, leaseToken);
      await runFor(reaper, 2 * STEP_MS);
      expect(await executions.read(scope, id)).toMatchObject({ status: 'running' });
    }
  });

  it('takes what nobody renewed once that time is over', async () => {
    const { scope, id } = await startedRun();
    clock.advance(2 * LEASE_MS);
    await runFor(newReaper(), GRACE_MS + STEP_MS);
    expect(await executions.read(scope, id)).toMatchObject({ status: 'pending' });
  });
});
