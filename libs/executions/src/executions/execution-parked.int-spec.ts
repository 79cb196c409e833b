import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { ExecutionService } from './execution.service.js';
import type { Execution } from './execution.types.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReleaseService } from '../leases/lease-release.service.js';
import { LeaseService } from '../leases/lease.service.js';
import type { LeasedExecution } from '../leases/lease.types.js';
import { OpenGateModule } from './open-gate.module.js';
import { countWaiting } from '../testing/count-waiting.js';
import { startOf } from '../testing/start-of.js';

const JOB = 'job-1';
const LEASE_MS = 60_000;

describe('an execution whose worker died while it was paused', () => {
  let context: TestContext;
  let executions: ExecutionService;
  let releases: LeaseReleaseService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
    releases = context.get(LeaseReleaseService);
  });

  afterAll(() => context.close());

  const somebodyWaits = (): Promise<void> =>
    eventually(async () => expect(await countWaiting(context.database)).toBe(1), 30_000);

  interface Run extends Scope {
    readonly id: string;
    readonly queueId: string;
    /** Of the worker that died. */
    readonly token: string;
  }

  async function lease(place: Pick<Run, 'organizationId' | 'queueId'>): Promise<LeasedExecution> {
    const request = { workerId: newId(), queueId: place.queueId, max: 1, waitMs: 5000 };
    const [leased] = await context
      .get(LeaseService)
      .poll(place, { ...request, leaseMs: LEASE_MS, confirmMs: LEASE_MS });
    if (leased === undefined) throw new Error('Nothing was leased');
    return leased;
  }

  /** Paused, with a lease that has run out. */
  async function newAbandoned(): Promise<Run> {
    const place = { organizationId: newId(), queueId: newId() };
    const { id } = await executions.start(place, { ...startOf(place.queueId), jobId: JOB });
    const { leaseToken } = await lease(place);
    await executions.patch(place, id, { status: 'running' }, leaseToken);
    await executions.pause(place, id, null);
    await context.database.sql(
      `UPDATE executions SET lease_expires_at = now() - interval '1 second' WHERE organization_id = $1`,
      [place.organizationId],
    );
    return { ...place, id, token: leaseToken };
  }

  const ways: [string, (run: Run) => Promise<Execution>][] = [
    ['resumed', (run) => executions.resume(run, run.id, null)],
    ['said to be running by anybody', (run) => executions.patch(run, run.id, { status: 'running' }, null)],
    ['reported running', (run) => executions.reportJobStatus(run, run.id, JOB, { status: 'running' }, null)],
  ];

  it.each(ways)('goes back to its queue when it is %s', async (_way, begin) => {
    const run = await newAbandoned();
    await releases.reapExpired();
    expect((await executions.read(run, run.id)).status).toBe('paused');
    expect((await begin(run)).status).toBe('pending');
    expect(await lease(run)).toMatchObject({ attempt: 2, execution: { id: run.id } });
  });

  it.each(ways)('goes back to its queue when it is %s while the lease is taken away', async (_way, begin) => {
    const run = await newAbandoned();
    let reaped = (): void => undefined;
    const begun = new Promise<void>((resolve) => (reaped = resolve)).then(() => begin(run));
    await context.database.transaction(async () => {
      await releases.reapExpired();
      reaped();
      await somebodyWaits();
    });
    expect(await begun).toMatchObject({ status: 'pending' });
    expect(await lease(run)).toMatchObject({ attempt: 2, execution: { id: run.id } });
  });

  it('keeps what else was written with it', async () => {
    const run = await newAbandoned();
    await releases.reapExpired();
    const started_at = new Date('2026-01-01T00:00:00Z');
    const update = { status: 'running', started_at, execution_metadata: { by: 'hand' } } as const;
    expect(await executions.patch(run, run.id, update, null)).toMatchObject({ ...update, status: 'pending' });
  });

  it('is not begun again by the token of the dead', async () => {
    const run = await newAbandoned();
    await releases.reapExpired();
    await expect(executions.patch(run, run.id, { status: 'running' }, run.token)).rejects.toMatchObject({
      code: 'lease_lost',
    });
    expect((await executions.read(run, run.id)).status).toBe('paused');
  });
});
