import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { passLeaseTime, startRequest } from '../testing/execution-fixtures.js';
import { ExecutionFence } from './execution-fence.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseService } from './lease.service.js';
import type { LeasedExecution } from './lease.types.js';

const LEASE_MS = 60_000;

/** The clocks of the two processes differ by a day. Leases must only be compared with the clock of the database. */
describe('leases of processes with different clocks', () => {
  let ahead: TestContext;
  let behind: TestContext;

  beforeAll(async () => {
    const hours = (count: number): ManualClock => new ManualClock(new Date(Date.now() + count * 3_600_000));
    ahead = await createTestContext([OpenGateModule, ExecutionsModule], { clock: hours(12) });
    behind = await createTestContext([OpenGateModule, ExecutionsModule], { clock: hours(-12), shareWith: ahead });
  });

  afterAll(async () => {
    await behind.close();
    await ahead.close();
  });

  interface Run extends LeasedExecution {
    readonly scope: Scope;
    readonly workerId: string;
  }

  async function newRun(by: TestContext): Promise<Run> {
    const scope = { organizationId: newId() };
    const [queueId, workerId] = [newId(), newId()];
    await by.get(ExecutionService).start(scope, startRequest(queueId));
    const poll = { workerId, queueId, max: 1, waitMs: 5000, leaseMs: LEASE_MS, confirmMs: LEASE_MS };
    const [lease] = await by.get(LeaseService).poll(scope, poll);
    if (lease === undefined) throw new Error('Nothing was leased');
    return { ...lease, scope, workerId };
  }

  async function reap(): Promise<void> {
    for (const process of [ahead, behind]) await process.get(LeaseReleaseService).reapExpired();
  }

  /** The ways in which a process renews a lease. */
  const renewals: readonly [string, (by: TestContext, run: Run) => Promise<unknown>][] = [
    ['its start', () => Promise.resolve()],
    ['a heartbeat', (by, { scope, workerId }) => by.get(LeaseService).renewAll(scope, workerId, LEASE_MS)],
    [
      'an update',
      (by, { scope, execution, leaseToken }) =>
        by.get(ExecutionService).patch(scope, execution.id, { response: 'partial' }, leaseToken),
    ],
    [
      'a write outside the row of the execution',
      (by, { scope, execution, leaseToken }) =>
        by.get(ExecutionFence).write(scope, execution.id, leaseToken, () => Promise.resolve()),
    ],
  ];

  it.each(renewals)('last for their full length after %s', async (_name, renew) => {
    for (const [first, second] of [
      [ahead, behind],
      [behind, ahead],
    ] as const) {
      const run = await newRun(first);
      const { scope, execution, leaseToken } = run;
      await first.get(ExecutionService).patch(scope, execution.id, { status: 'running' }, leaseToken);
      await passLeaseTime(first.database, LEASE_MS / 2);
      await renew(second, run);
      await reap();
      expect(await first.get(ExecutionService).read(scope, execution.id)).toMatchObject({ status: 'running' });
      await passLeaseTime(first.database, LEASE_MS);
      await reap();
      expect(await first.get(ExecutionService).read(scope, execution.id)).toMatchObject({ status: 'pending' });
    }
  });

  it('return a command for twice the length of the lease', async () => {
    for (const [first, second] of [
      [ahead, behind],
      [behind, ahead],
    ] as const) {
      const { scope, execution, workerId } = await newRun(first);
      await first.get(ExecutionService).cancel(scope, execution.id, null);
      const commands = (): Promise<unknown> => second.get(LeaseService).commandsFor(scope, workerId);
      expect(await commands()).toEqual([{ command: 'cancel', execution_id: execution.id }]);
      await passLeaseTime(first.database, 2 * LEASE_MS);
      expect(await commands()).toEqual([]);
    }
  });
});
