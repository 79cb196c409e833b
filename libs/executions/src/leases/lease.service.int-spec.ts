import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TaskQueues } from '@app/dispatch';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseService } from './lease.service.js';
import type { LeasedExecution } from './lease.types.js';
import { startOf } from '../testing/start-of.js';
import { OpenGateModule } from '../executions/open-gate.module.js';

const LEASE_MS = 60_000;

describe('leases', () => {
  let context: TestContext;
  let other: TestContext;
  let executions: ExecutionService;
  let leases: LeaseService;
  let releases: LeaseReleaseService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    other = await createTestContext([OpenGateModule, ExecutionsModule], { shareWith: context });
    executions = context.get(ExecutionService);
    leases = context.get(LeaseService);
    releases = context.get(LeaseReleaseService);
  });

  afterAll(async () => {
    await other.close();
    await context.close();
  });

  interface Place extends Scope {
    readonly queueId: string;
    readonly workerId: string;
  }
  const newPlace = (): Place => ({ organizationId: newId(), queueId: newId(), workerId: newId() });

  function poll(
    place: Place,
    options: {
      max?: number;
      waitMs?: number;
      leaseMs?: number;
      confirmMs?: number;
      by?: TestContext;
      workerId?: string;
      signal?: AbortSignal;
    } = {},
  ): Promise<LeasedExecution[]> {
    const { max = 1, waitMs = 5000, leaseMs = LEASE_MS, confirmMs = LEASE_MS } = options;
    const { by = context, workerId = place.workerId, signal } = options;
    const request = {
      workerId,
      queueId: place.queueId,
      max,
      waitMs,
      leaseMs,
      confirmMs,
      ...(signal === undefined ? {} : { signal }),
    };
    return by.get(LeaseService).poll(place, request);
  }

  async function leaseOne(place: Place, options: Parameters<typeof poll>[1] = {}): Promise<LeasedExecution> {
    const [lease] = await poll(place, options);
    if (lease === undefined) throw new Error('Nothing was leased');
    return lease;
  }

  /** As if the worker's last sign of life were longer ago than its lease lasts. */
  async function letExpire(place: Place): Promise<void> {
    await context.database.sql(
      `UPDATE executions SET lease_expires_at = now() - interval '1 second'
       WHERE organization_id = $1 AND lease_expires_at IS NOT NULL`,
      [place.organizationId],
    );
    await releases.reapExpired();
  }

  it('are given to a poll that waits already, for a start that comes later', async () => {
    const place = newPlace();
    const waiting = poll(place);
    const { id } = await executions.start(place, startOf(place.queueId));
    const [lease] = await waiting;
    expect(lease).toMatchObject({ attempt: 1, execution: { id, status: 'pending', prompt: 'Say hello' } });
    expect(lease?.leaseToken).toMatch(/^[\w-]{32}$/);
  });

  it('are given to a poll in another process', async () => {
    const place = newPlace();
    const waiting = poll(place, { by: other });
    const { id } = await executions.start(place, startOf(place.queueId));
    expect((await waiting)[0]?.execution.id).toBe(id);
  });

  it('are given once, however many workers of however many processes poll', async () => {
    const place = newPlace();
    const workers = Array.from({ length: 8 }, (_, index) => ({
      workerId: newId(),
      by: index % 2 === 0 ? context : other,
    }));
    const taken: string[] = [];
    const started = 40;
    const work = workers.map(async (worker) => {
      while (taken.length < started) {
        for (const lease of await poll(place, { ...worker, waitMs: 300, max: 3 })) taken.push(lease.execution.id);
      }
    });
    const ids = await Promise.all(
      Array.from({ length: started }, async () => (await executions.start(place, startOf(place.queueId))).id),
    );
    await Promise.all(work);
    expect([...taken].sort()).toEqual([...ids].sort());
  });

  it('are refused for a message that comes a second time, late, or in another queue', async () => {
    const place = newPlace();
    const { id } = await executions.start(place, startOf(place.queueId));
    const message = { organizationId: place.organizationId, executionId: id, attempt: 1 };
    const elsewhere = { ...place, queueId: newId() };
    await context.get(TaskQueues).enqueue(elsewhere.queueId, message);
    expect(await poll(elsewhere, { waitMs: 0 })).toEqual([]);
    await leaseOne(place);
    await context.get(TaskQueues).enqueue(place.queueId, message);
    expect(await poll(place, { waitMs: 0 })).toEqual([]);
    await context.get(TaskQueues).enqueue(place.queueId, message);
    await letExpire(place);
    expect(await leaseOne(place)).toMatchObject({ attempt: 2 });
  });

  it('are given back when the client goes while they are given', async () => {
    const place = newPlace();
    const { id } = await executions.start(place, startOf(place.queueId));
    const gone = new AbortController();
    const mayTake = async (): Promise<boolean> => {
      gone.abort();
      return true;
    };
    const request = {
      ...place,
      max: 1,
      waitMs: 5000,
      leaseMs: LEASE_MS,
      confirmMs: LEASE_MS,
      signal: gone.signal,
      mayTake,
    };
    expect(await leases.poll(place, request)).toEqual([]);
    expect(await leaseOne(place)).toMatchObject({ attempt: 1, execution: { id } });
  });

  it('end with a wait that brought nothing', async () => {
    expect(await poll(newPlace(), { waitMs: 50 })).toEqual([]);
  });

  it('are not given to a client that has gone', async () => {
    const place = newPlace();
    const gone = new AbortController();
    const waiting = poll(place, { signal: gone.signal });
    gone.abort();
    expect(await waiting).toEqual([]);
    await executions.start(place, startOf(place.queueId));
    expect(await poll(place)).toHaveLength(1);
  });

  it('are kept back while the queue may not hand out work', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const request = { ...place, max: 1, waitMs: 100, leaseMs: LEASE_MS, confirmMs: LEASE_MS };
    expect(await leases.poll(place, { ...request, mayTake: () => Promise.resolve(false) })).toEqual([]);
    expect(await leases.poll(place, { ...request, mayTake: () => Promise.resolve(true) })).toHaveLength(1);
  });

  it('let their holder write, and nobody with another token', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const { execution, leaseToken } = await leaseOne(place);
    const running = await executions.patch(place, execution.id, { status: 'running' }, leaseToken);
    expect(running).toMatchObject({ status: 'running', started_at: expect.any(Date) });
    await expect(executions.patch(place, execution.id, { response: 'late' }, 'another')).rejects.toMatchObject({
      code: 'lease_lost',
    });
    expect((await executions.read(place, execution.id)).response).toBeNull();
  });

  it('go to another worker when they ran out, as the next attempt, and fence the first one off', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const dead = await leaseOne(place);
    const running = await executions.patch(place, dead.execution.id, { status: 'running' }, dead.leaseToken);
    await letExpire(place);
    const second = await leaseOne(place, { workerId: newId() });
    expect(second).toMatchObject({
      attempt: 2,
      execution: { id: dead.execution.id, status: 'pending', started_at: running.started_at },
    });
    const late = executions.patch(place, dead.execution.id, { status: 'completed', response: 'late' }, dead.leaseToken);
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
    await executions.patch(place, dead.execution.id, { status: 'running' }, second.leaseToken);
    const done = await executions.patch(
      place,
      dead.execution.id,
      { status: 'completed', response: 'done' },
      second.leaseToken,
    );
    expect(done).toMatchObject({ status: 'completed', response: 'done' });
  });

  it('fail the execution with the cause when no attempt is left', async () => {
    const place = newPlace();
    const { id } = await executions.start(place, {
      ...startOf(place.queueId),
      config: { retry_policy: { max_attempts: 2 } },
    });
    await leaseOne(place);
    await letExpire(place);
    await leaseOne(place);
    await letExpire(place);
    expect(await executions.read(place, id)).toMatchObject({
      status: 'failed',
      error_message: 'The worker stopped responding (attempt 2 of 2)',
      completed_at: expect.any(Date),
    });
    expect(await poll(place, { waitMs: 0 })).toEqual([]);
  });

  it('are renewed and handed back by several requests of one worker at once without a deadlock', async () => {
    const place = newPlace();
    for (let count = 0; count < 40; count += 1) await executions.start(place, startOf(place.queueId));
    expect(await poll(place, { max: 40 })).toHaveLength(40);
    const renewals = Array.from({ length: 40 }, () => leases.renewAll(place, place.workerId, LEASE_MS));
    const handedBack = leases.handBack(place, place.workerId, 'shutdown');
    await expect(Promise.all(renewals)).resolves.toHaveLength(40);
    expect(await handedBack).toBe(40);
  });

  it('are renewed by heartbeats, all of a worker in one statement', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    await executions.start(place, startOf(place.queueId));
    const held = [await leaseOne(place, { leaseMs: 1 }), await leaseOne(place, { leaseMs: 1 })];
    for (const { execution, leaseToken } of held) {
      await executions.patch(place, execution.id, { status: 'running' }, leaseToken);
    }
    await leases.renewAll(place, place.workerId, LEASE_MS);
    await releases.reapExpired();
    for (const { execution, leaseToken } of held) {
      await executions.patch(place, execution.id, { usage: { total_tokens: 1 } }, leaseToken);
    }
  });

  it('go to others when their run never begins, whatever the worker’s heartbeats say: it may know nothing of them', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const lost = await leaseOne(place, { confirmMs: 1 });
    await leases.renewAll(place, place.workerId, LEASE_MS);
    await releases.reapExpired();
    const [again] = await poll(place, { waitMs: 5000 });
    expect(again).toMatchObject({ attempt: 2, execution: { id: lost.execution.id } });
  });

  it('last their full length from the first write on', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const { execution, leaseToken, expiresAt } = await leaseOne(place, { confirmMs: 10_000 });
    await executions.patch(place, execution.id, { status: 'running' }, leaseToken);
    const [row] = await context.database.sql<{ at: Date }>(
      'SELECT lease_expires_at AS at FROM executions WHERE id = $1',
      [execution.id],
    );
    expect((row?.at.getTime() ?? 0) - expiresAt.getTime()).toBeGreaterThanOrEqual(LEASE_MS - 10_000);
  });

  it("are renewed by the holder's writes", async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const { execution, leaseToken } = await leaseOne(place, { leaseMs: 300 });
    await executions.patch(place, execution.id, { status: 'running' }, leaseToken);
    const expiresAt = async (): Promise<number> => {
      const [row] = await context.database.sql<{ at: Date }>(
        'SELECT lease_expires_at AS at FROM executions WHERE id = $1',
        [execution.id],
      );
      return row?.at.getTime() ?? 0;
    };
    const before = await expiresAt();
    await eventually(async () => {
      await executions.patch(place, execution.id, { execution_metadata: { step: 1 } }, leaseToken);
      expect(await expiresAt()).toBeGreaterThan(before);
    });
  });

  it('handed back by a worker that stops are available at once, and cost no attempt', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const { execution, leaseToken } = await leaseOne(place);
    await executions.patch(place, execution.id, { status: 'running' }, leaseToken);
    expect(await leases.handBack(place, place.workerId, 'shutdown')).toBe(1);
    expect(await leases.handBack(place, place.workerId, 'shutdown')).toBe(0);
    const next = await leaseOne(place, { workerId: newId() });
    expect(next).toMatchObject({ attempt: 1, execution: { id: execution.id, status: 'pending' } });
    await expect(executions.patch(place, execution.id, { status: 'completed' }, leaseToken)).rejects.toMatchObject({
      code: 'lease_lost',
    });
  });

  it('handed back by a worker that crashed cost an attempt, so that deadly work does not go round for ever', async () => {
    const place = newPlace();
    const { id } = await executions.start(place, startOf(place.queueId));
    for (const attempt of [1, 2, 3]) {
      expect(await leaseOne(place)).toMatchObject({ attempt });
      await leases.handBack(place, place.workerId, 'crash');
    }
    expect(await executions.read(place, id)).toMatchObject({
      status: 'failed',
      error_message: 'The worker crashed (attempt 3 of 3)',
    });
  });

  it('are not given for an execution that was cancelled before', async () => {
    const place = newPlace();
    const { id } = await executions.start(place, startOf(place.queueId));
    expect(await executions.cancel(place, id, null)).toMatchObject({
      status: 'cancelled',
      completed_at: expect.any(Date),
    });
    expect(await poll(place, { waitMs: 0 })).toEqual([]);
  });

  it('end with a cancel: the worker is told with its heartbeats, and its writes are refused', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const { execution, leaseToken } = await leaseOne(place);
    await executions.patch(place, execution.id, { status: 'running' }, leaseToken);
    await executions.cancel(place, execution.id, null);
    const expected = [{ command: 'cancel', execution_id: execution.id }];
    expect(await leases.renewAll(place, place.workerId, LEASE_MS)).toEqual(expected);
    expect(await leases.commandsFor(place, place.workerId)).toEqual(expected);
    const late = executions.patch(place, execution.id, { usage: { tokens: 1 } }, leaseToken);
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
    await letExpire(place);
    expect((await executions.read(place, execution.id)).status).toBe('cancelled');
  });

  it('carry pause and resume to the worker', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const { execution, leaseToken } = await leaseOne(place);
    await executions.patch(place, execution.id, { status: 'running' }, leaseToken);
    await executions.pause(place, execution.id, null);
    expect(await leases.renewAll(place, place.workerId, LEASE_MS)).toEqual([
      { command: 'pause', execution_id: execution.id },
    ]);
    await executions.resume(place, execution.id, null);
    expect(await leases.renewAll(place, place.workerId, LEASE_MS)).toEqual([
      { command: 'resume', execution_id: execution.id },
    ]);
  });

  it('lost while paused leave the execution paused; resumed it goes back to its queue', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const { execution, leaseToken } = await leaseOne(place);
    await executions.patch(place, execution.id, { status: 'running' }, leaseToken);
    await executions.pause(place, execution.id, null);
    await letExpire(place);
    expect((await executions.read(place, execution.id)).status).toBe('paused');
    expect(await poll(place, { waitMs: 0 })).toEqual([]);
    expect((await executions.resume(place, execution.id, null)).status).toBe('pending');
    expect(await leaseOne(place)).toMatchObject({ attempt: 2, execution: { id: execution.id } });
  });

  it('ended by their holder leave it its token, for what comes late', async () => {
    const place = newPlace();
    await executions.start(place, startOf(place.queueId));
    const { execution, leaseToken } = await leaseOne(place);
    await executions.patch(place, execution.id, { status: 'running' }, leaseToken);
    await executions.patch(place, execution.id, { status: 'completed' }, leaseToken);
    const late = await executions.patch(place, execution.id, { usage: { total_tokens: 7 } }, leaseToken);
    expect(late).toMatchObject({ status: 'completed', usage: { total_tokens: 7 } });
    expect(await leases.renewAll(place, place.workerId, LEASE_MS)).toEqual([]);
  });
});
