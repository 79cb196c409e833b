import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { ExecutionService } from './execution.service.js';
import type { Execution } from './execution.types.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReleaseService } from '../leases/lease-release.service.js';
import { LeaseService } from '../leases/lease.service.js';
import type { LeasedExecution } from '../leases/lease.types.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { countLockWaits, startRequest } from '../testing/execution-fixtures.js';

const JOB = 'job-1';
const LEASE_MS = 60_000;

describe('an execution whose lease expired while it was paused', () => {
  let context: TestContext;
  let executions: ExecutionService;
  let releases: LeaseReleaseService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
    releases = context.get(LeaseReleaseService);
  });

  afterAll(() => context.close());

  const waitForLockWait = (): Promise<void> =>
    eventually(async () => expect(await countLockWaits(context.database)).toBe(1));

  interface Run extends Scope {
    readonly id: string;
    readonly queueId: string;
    /** The token of the dead worker. */
    readonly token: string;
  }

  async function lease(scope: Pick<Run, 'organizationId' | 'queueId'>): Promise<LeasedExecution> {
    const request = { workerId: newId(), queueId: scope.queueId, max: 1, waitMs: 5000 };
    const [leased] = await context
      .get(LeaseService)
      .poll(scope, { ...request, leaseMs: LEASE_MS, confirmMs: LEASE_MS });
    if (leased === undefined) throw new Error('Nothing was leased');
    return leased;
  }

  /** Creates a paused execution with an expired lease. */
  async function newPausedAndExpired(): Promise<Run> {
    const scope = { organizationId: newId(), queueId: newId() };
    const { id } = await executions.start(scope, { ...startRequest(scope.queueId), jobId: JOB });
    const { leaseToken } = await lease(scope);
    await executions.patch(scope, id, { status: 'running' }, leaseToken);
    await executions.pause(scope, id, null);
    await context.database.sql(
      `UPDATE executions SET lease_expires_at = now() - interval '1 second' WHERE organization_id = $1`,
      [scope.organizationId],
    );
    return { ...scope, id, token: leaseToken };
  }

  const resumptions: [string, (run: Run) => Promise<Execution>][] = [
    ['resumed', (run) => executions.resume(run, run.id, null)],
    ['set to running without a token', (run) => executions.patch(run, run.id, { status: 'running' }, null)],
    ['reported running', (run) => executions.reportJobStatus(run, run.id, JOB, { status: 'running' }, null)],
  ];

  it.each(resumptions)('returns to its queue when it is %s', async (_name, resume) => {
    const run = await newPausedAndExpired();
    await releases.reapExpired();
    expect((await executions.read(run, run.id)).status).toBe('paused');
    expect((await resume(run)).status).toBe('pending');
    expect(await lease(run)).toMatchObject({ attempt: 2, execution: { id: run.id } });
  });

  it.each(resumptions)('returns to its queue when it is %s while the lease is released', async (_name, resume) => {
    const run = await newPausedAndExpired();
    let onReaped = (): void => undefined;
    const resumed = new Promise<void>((resolve) => (onReaped = resolve)).then(() => resume(run));
    await context.database.transaction(async () => {
      await releases.reapExpired();
      onReaped();
      await waitForLockWait();
    });
    expect(await resumed).toMatchObject({ status: 'pending' });
    expect(await lease(run)).toMatchObject({ attempt: 2, execution: { id: run.id } });
  });

  it('keeps the other fields of the update', async () => {
    const run = await newPausedAndExpired();
    await releases.reapExpired();
    const started_at = new Date('2026-01-01T00:00:00Z');
    const update = { status: 'running', started_at, execution_metadata: { by: 'test' } } as const;
    expect(await executions.patch(run, run.id, update, null)).toMatchObject({ ...update, status: 'pending' });
  });

  it('rejects the token of the dead worker', async () => {
    const run = await newPausedAndExpired();
    await releases.reapExpired();
    await expect(executions.patch(run, run.id, { status: 'running' }, run.token)).rejects.toMatchObject({
      code: 'lease_lost',
    });
    expect((await executions.read(run, run.id)).status).toBe('paused');
  });
});
