import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionRepository } from '../executions/execution.repository.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { passLeaseTime, startRequest } from '../testing/execution-fixtures.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseService } from './lease.service.js';
import type { LeasedExecution } from './lease.types.js';

const LEASE_MS = 60_000;

describe('the renewal of leases by heartbeats', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
  });

  afterAll(() => context.close());

  /** Leases and starts `count` executions of a worker. */
  async function runAll(scope: Scope, workerId: string, count: number): Promise<LeasedExecution[]> {
    const [executions, leases] = [context.get(ExecutionService), context.get(LeaseService)];
    const queueId = newId();
    const poll = { workerId, queueId, max: 1, waitMs: 5000, leaseMs: LEASE_MS, confirmMs: LEASE_MS };
    const runs: LeasedExecution[] = [];
    for (let index = 0; index < count; index += 1) {
      await executions.start(scope, startRequest(queueId));
      const [lease] = await leases.poll(scope, poll);
      if (lease === undefined) throw new Error('Nothing was leased');
      await executions.patch(scope, lease.execution.id, { status: 'running' }, lease.leaseToken);
      runs.push(lease);
    }
    return runs;
  }

  /** Locks the row of an execution until `release` is called. */
  async function lockRow(scope: Scope, { execution }: LeasedExecution): Promise<{ release: () => Promise<void> }> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let lock: () => void = () => undefined;
    const locked = new Promise<void>((resolve) => (lock = resolve));
    const holder = context.database.transaction(async () => {
      await context.get(ExecutionRepository).lock(scope, execution.id);
      lock();
      await released;
    });
    await locked;
    return { release: async () => (release(), holder) };
  }

  /** Returns the executions whose leases have not expired. */
  async function renewed({ organizationId }: Scope): Promise<string[]> {
    const rows = await context.database.sql<{ id: string }>(
      'SELECT id FROM executions WHERE organization_id = $1 AND lease_expires_at > now() ORDER BY id',
      [organizationId],
    );
    return rows.map(({ id }) => id);
  }

  async function expiries({ organizationId }: Scope): Promise<ReadonlyMap<string, Date>> {
    const rows = await context.database.sql<{ id: string; lease_expires_at: Date }>(
      'SELECT id, lease_expires_at FROM executions WHERE organization_id = $1',
      [organizationId],
    );
    return new Map(rows.map(({ id, lease_expires_at }) => [id, lease_expires_at]));
  }

  const idsOf = (runs: readonly LeasedExecution[]): string[] => runs.map(({ execution }) => execution.id).sort();

  it('renews the other leases at once while a transaction has locked one execution, and renews its lease afterwards', async () => {
    const scope = { organizationId: newId() };
    const workerId = newId();
    const [held, ...free] = await runAll(scope, workerId, 3);
    if (held === undefined) throw new Error('Nothing was leased');
    await passLeaseTime(context.database, 2 * LEASE_MS);
    const lock = await lockRow(scope, held);
    const heartbeat = context.get(LeaseService).renewAll(scope, workerId, LEASE_MS);
    await eventually(async () => expect(await renewed(scope)).toEqual(idsOf(free)));
    await lock.release();
    expect(await heartbeat).toEqual([]);
    expect(await renewed(scope)).toEqual(idsOf([held, ...free]));
  });

  it('leaves a lease to the next heartbeat if its execution is locked and more than half of the lease remains', async () => {
    const scope = { organizationId: newId() };
    const workerId = newId();
    const [held, ...free] = await runAll(scope, workerId, 2);
    if (held === undefined) throw new Error('Nothing was leased');
    await passLeaseTime(context.database, LEASE_MS / 3);
    const before = await expiries(scope);
    const changed = async (): Promise<string[]> =>
      [...(await expiries(scope))].filter(([id, at]) => at.getTime() !== before.get(id)?.getTime()).map(([id]) => id);
    const lock = await lockRow(scope, held);
    const heartbeat = context.get(LeaseService).renewAll(scope, workerId, LEASE_MS);
    await eventually(async () => expect(await changed()).toEqual(idsOf(free)));
    await lock.release();
    expect(await heartbeat).toEqual([]);
    expect(await changed()).toEqual(idsOf(free));
  });

  it('responds although a transaction that has locked an execution hangs', async () => {
    const scope = { organizationId: newId() };
    const workerId = newId();
    const [held, ...free] = await runAll(scope, workerId, 2);
    if (held === undefined) throw new Error('Nothing was leased');
    await context.get(ExecutionService).pause(scope, free[0]?.execution.id ?? '', null);
    await passLeaseTime(context.database, LEASE_MS + 1);
    const lock = await lockRow(scope, held);
    expect(await context.get(LeaseService).renewAll(scope, workerId, LEASE_MS)).toEqual([
      { command: 'pause', execution_id: free[0]?.execution.id },
    ]);
    expect(await renewed(scope)).toEqual(idsOf(free));
    await lock.release();
  });

  it('releases a run that its worker no longer lists, although the worker sends heartbeats', async () => {
    const [executions, leases] = [context.get(ExecutionService), context.get(LeaseService)];
    const scope = { organizationId: newId() };
    const [queueId, workerId] = [newId(), newId()];
    const poll = { workerId, queueId, max: 1, waitMs: 5000, leaseMs: LEASE_MS, confirmMs: LEASE_MS };
    const run = async (): Promise<LeasedExecution> => {
      await executions.start(scope, startRequest(queueId));
      const [lease] = await leases.poll(scope, poll);
      if (lease === undefined) throw new Error('Nothing was leased');
      await executions.patch(scope, lease.execution.id, { status: 'running' }, lease.leaseToken);
      return lease;
    };
    const [named, forgotten] = [await run(), await run()];
    await context.database.sql(
      `UPDATE executions SET lease_expires_at = now() - interval '1 second' WHERE organization_id = $1`,
      [scope.organizationId],
    );
    await leases.renewAll(scope, workerId, LEASE_MS, [named.execution.id]);
    await context.get(LeaseReleaseService).reapExpired();
    const usage = { total_tokens: 1 };
    await executions.patch(scope, named.execution.id, { usage }, named.leaseToken);
    const late = executions.patch(scope, forgotten.execution.id, { usage }, forgotten.leaseToken);
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await executions.read(scope, forgotten.execution.id)).toMatchObject({ status: 'pending' });
  });
});
