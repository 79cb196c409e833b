import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DispatchConfig, loadConfig } from '@app/config';
import { databaseTime } from '@app/database';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, ManualClock, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { PeriodicTasks } from '@app/dispatch';
import { SchedulerRegistry } from '@nestjs/schedule';
import { LeaseReapTask } from './lease-reap.task.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseService } from './lease.service.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { passLeaseTime, startRequest } from '../testing/execution-fixtures.js';

const LEASE_MS = 60_000;
const GRACE_MS = 15_000;
const STEP_MS = 1000;
/** Longer than the test takes, because the clock of the database keeps running. */
const SLACK_MS = 20_000;

describe('LeaseReapTask', () => {
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
    new LeaseReapTask(
      context.get(LeaseReleaseService),
      context.database,
      clock,
      new PeriodicTasks(new SchedulerRegistry(), loadConfig(DispatchConfig, {})),
      {
        ...loadConfig(DispatchConfig, {}),
        reconcileIntervalMs: STEP_MS,
        leaseGraceMs: GRACE_MS,
      },
    );

  async function pass(milliseconds: number): Promise<void> {
    clock.advance(milliseconds);
    await passLeaseTime(context.database, milliseconds);
  }

  /** Runs the task once per interval for the given time. */
  async function runFor(reaper: LeaseReapTask, milliseconds: number): Promise<void> {
    for (let elapsedMs = 0; elapsedMs < milliseconds; elapsedMs += STEP_MS) {
      await reaper.run(running);
      await pass(STEP_MS);
    }
  }

  async function newRun(): Promise<{ scope: Scope; id: string; leaseToken: string }> {
    const scope = { organizationId: newId() };
    const queueId = newId();
    await executions.start(scope, startRequest(queueId));
    const poll = { workerId: newId(), queueId, max: 1, waitMs: 5000, leaseMs: LEASE_MS, confirmMs: LEASE_MS };
    const [lease] = await context.get(LeaseService).poll(scope, poll);
    if (lease === undefined) throw new Error('Nothing was leased');
    await executions.patch(scope, lease.execution.id, { status: 'running' }, lease.leaseToken);
    return { scope, id: lease.execution.id, leaseToken: lease.leaseToken };
  }

  it('releases a lease that was not renewed for its length', async () => {
    const reaper = newReaper();
    await runFor(reaper, GRACE_MS);
    const { scope, id } = await newRun();
    await runFor(reaper, LEASE_MS - SLACK_MS);
    expect(await executions.read(scope, id)).toMatchObject({ status: 'running' });
    await runFor(reaper, SLACK_MS + STEP_MS);
    expect(await executions.read(scope, id)).toMatchObject({ status: 'pending' });
  });

  it('grants workers a grace period to renew after its start and after an interruption', async () => {
    const reaper = newReaper();
    for (const interruption of ['not started', 'interrupted']) {
      const { scope, id, leaseToken } = await newRun();
      await pass(2 * LEASE_MS);
      await runFor(reaper, GRACE_MS - STEP_MS);
      await executions.patch(scope, id, { execution_metadata: { interruption } }, leaseToken);
      await runFor(reaper, 2 * STEP_MS);
      expect(await executions.read(scope, id)).toMatchObject({ status: 'running' });
    }
  });

  it('releases no leases that expired between the check for interruptions and the statement', async () => {
    const { scope, id } = await newRun();
    const checkedAt = await databaseTime(context.database);
    const expiresAt = new Date(checkedAt.getTime() + 1);
    await context.database.sql(`UPDATE executions SET lease_expires_at = $2 WHERE id = $1`, [id, expiresAt]);
    await eventually(async () => {
      expect((await databaseTime(context.database)).getTime()).toBeGreaterThan(expiresAt.getTime());
    });
    for (const work of ['reapExpired', 'endTimedOut'] as const) await context.get(LeaseReleaseService)[work](checkedAt);
    expect(await executions.read(scope, id)).toMatchObject({ status: 'running' });
    await context.get(LeaseReleaseService).reapExpired(await databaseTime(context.database));
    expect(await executions.read(scope, id)).toMatchObject({ status: 'pending' });
  });

  it('grants the grace period after an interruption between two batches', async () => {
    const reaper = newReaper();
    await runFor(reaper, GRACE_MS);
    const { scope, id } = await newRun();
    const running = reaper.run(new AbortController().signal);
    await pass(2 * LEASE_MS);
    await running;
    await reaper.run(new AbortController().signal);
    expect(await executions.read(scope, id)).toMatchObject({ status: 'running' });
  });

  it('releases leases that were not renewed within the grace period', async () => {
    const { scope, id } = await newRun();
    await pass(2 * LEASE_MS);
    await runFor(newReaper(), GRACE_MS + STEP_MS);
    expect(await executions.read(scope, id)).toMatchObject({ status: 'pending' });
  });
});
