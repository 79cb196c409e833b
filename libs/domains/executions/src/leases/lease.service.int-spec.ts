import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TaskQueues } from '@app/dispatch';
import { newId, withoutUndefined, type Scope } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseService } from './lease.service.js';
import type { LeasedExecution } from './lease.types.js';
import { countLockWaits, startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';

const LEASE_MS = 60_000;

describe('LeaseService', () => {
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

  interface QueueScope extends Scope {
    readonly queueId: string;
    readonly workerId: string;
  }
  const newQueueScope = (): QueueScope => ({ organizationId: newId(), queueId: newId(), workerId: newId() });

  function poll(
    scope: QueueScope,
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
    const { by = context, workerId = scope.workerId, signal } = options;
    const { queueId } = scope;
    const request = { workerId, queueId, max, waitMs, leaseMs, confirmMs, ...withoutUndefined({ signal }) };
    return by.get(LeaseService).poll(scope, request);
  }

  async function leaseOne(scope: QueueScope, options: Parameters<typeof poll>[1] = {}): Promise<LeasedExecution> {
    const [lease] = await poll(scope, options);
    if (lease === undefined) throw new Error('Nothing was leased');
    return lease;
  }

  /** Expires the leases of the organization and runs the reaper. */
  async function expireLeases(scope: QueueScope): Promise<void> {
    await context.database.sql(
      `UPDATE executions SET lease_expires_at = now() - interval '1 second'
       WHERE organization_id = $1 AND lease_expires_at IS NOT NULL`,
      [scope.organizationId],
    );
    await releases.reapExpired();
  }

  it('returns a lease to a waiting poll when an execution starts', async () => {
    const scope = newQueueScope();
    const waiting = poll(scope);
    const { id } = await executions.start(scope, startRequest(scope.queueId));
    const [lease] = await waiting;
    expect(lease).toMatchObject({ attempt: 1, execution: { id, status: 'pending', prompt: 'Say hello' } });
    expect(lease?.leaseToken).toMatch(/^[\w-]{32}$/);
  });

  it('returns a lease to a poll in another process', async () => {
    const scope = newQueueScope();
    const waiting = poll(scope, { by: other });
    const { id } = await executions.start(scope, startRequest(scope.queueId));
    expect((await waiting)[0]?.execution.id).toBe(id);
  });

  it('leases each execution once to concurrent polls of several processes', async () => {
    const scope = newQueueScope();
    const workers = Array.from({ length: 8 }, (_, index) => ({
      workerId: newId(),
      by: index % 2 === 0 ? context : other,
    }));
    const leased: string[] = [];
    const count = 40;
    const work = workers.map(async (worker) => {
      while (leased.length < count) {
        for (const lease of await poll(scope, { ...worker, waitMs: 300, max: 3 })) leased.push(lease.execution.id);
      }
    });
    const ids = await Promise.all(
      Array.from({ length: count }, async () => (await executions.start(scope, startRequest(scope.queueId))).id),
    );
    await Promise.all(work);
    expect([...leased].sort()).toEqual([...ids].sort());
  });

  it('waits for an execution that is locked while it leases several', async () => {
    const scope = newQueueScope();
    const [locked, cancelled, free] = await Promise.all(
      [1, 2, 3].map(async () => (await executions.start(scope, startRequest(scope.queueId))).id),
    );
    await eventually(async () => expect(await context.get(TaskQueues).count(scope.queueId)).toBe(3));
    await context.database.sql(`UPDATE executions SET status = 'cancelled' WHERE id = $1`, [cancelled]);
    let polled: Promise<LeasedExecution[]> = Promise.resolve([]);
    await context.database.transaction(async () => {
      await context.database.sql('SELECT 1 FROM executions WHERE id = $1 FOR UPDATE', [locked]);
      polled = other.get(LeaseService).poll(scope, { ...scope, max: 3, waitMs: 0, leaseMs: 5000, confirmMs: 5000 });
      await eventually(async () => expect(await countLockWaits(context.database)).toBe(1));
    });
    const leased = await polled;
    expect(new Set(leased.map(({ execution }) => execution.id))).toEqual(new Set([locked, free]));
    expect(new Set(leased.map(({ leaseToken }) => leaseToken)).size).toBe(2);
  });

  it('discards deliveries that are repeated, outdated or in another queue', async () => {
    const scope = newQueueScope();
    const { id } = await executions.start(scope, startRequest(scope.queueId));
    const message = { organizationId: scope.organizationId, executionId: id, attempt: 1 };
    const elsewhere = { ...scope, queueId: newId() };
    await context.get(TaskQueues).enqueue(elsewhere.queueId, message);
    expect(await poll(elsewhere, { waitMs: 0 })).toEqual([]);
    await leaseOne(scope);
    await context.get(TaskQueues).enqueue(scope.queueId, message);
    expect(await poll(scope, { waitMs: 0 })).toEqual([]);
    await context.get(TaskQueues).enqueue(scope.queueId, message);
    await expireLeases(scope);
    expect(await leaseOne(scope)).toMatchObject({ attempt: 2 });
  });

  it('releases leases when the client disconnects during the claim', async () => {
    const scope = newQueueScope();
    const { id } = await executions.start(scope, startRequest(scope.queueId));
    const disconnect = new AbortController();
    const mayTake = async (): Promise<boolean> => {
      disconnect.abort();
      return true;
    };
    const request = {
      ...scope,
      max: 1,
      waitMs: 5000,
      leaseMs: LEASE_MS,
      confirmMs: LEASE_MS,
      signal: disconnect.signal,
      mayTake,
    };
    expect(await leases.poll(scope, request)).toEqual([]);
    expect(await leaseOne(scope)).toMatchObject({ attempt: 1, execution: { id } });
  });

  it('returns no lease when the maximum wait is over', async () => {
    expect(await poll(newQueueScope(), { waitMs: 50 })).toEqual([]);
  });

  it('returns no lease to a client that disconnected', async () => {
    const scope = newQueueScope();
    const disconnect = new AbortController();
    const waiting = poll(scope, { signal: disconnect.signal });
    disconnect.abort();
    expect(await waiting).toEqual([]);
    await executions.start(scope, startRequest(scope.queueId));
    expect(await poll(scope)).toHaveLength(1);
  });

  it('leases nothing while mayTake returns false', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const request = { ...scope, max: 1, waitMs: 100, leaseMs: LEASE_MS, confirmMs: LEASE_MS };
    expect(await leases.poll(scope, { ...request, mayTake: () => Promise.resolve(false) })).toEqual([]);
    expect(await leases.poll(scope, { ...request, mayTake: () => Promise.resolve(true) })).toHaveLength(1);
  });

  it('accepts writes of the holder and rejects another token', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const { execution, leaseToken } = await leaseOne(scope);
    const running = await executions.patch(scope, execution.id, { status: 'running' }, leaseToken);
    expect(running).toMatchObject({ status: 'running', started_at: expect.any(Date) });
    await expect(executions.patch(scope, execution.id, { response: 'late' }, 'another')).rejects.toMatchObject({
      code: 'lease_lost',
    });
    expect((await executions.read(scope, execution.id)).response).toBeNull();
  });

  it('leases an execution to another worker after expiry, as the next attempt, and rejects writes of the first worker', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const dead = await leaseOne(scope);
    const running = await executions.patch(scope, dead.execution.id, { status: 'running' }, dead.leaseToken);
    await expireLeases(scope);
    const second = await leaseOne(scope, { workerId: newId() });
    expect(second).toMatchObject({
      attempt: 2,
      execution: { id: dead.execution.id, status: 'pending', started_at: running.started_at },
    });
    const late = executions.patch(scope, dead.execution.id, { status: 'completed', response: 'late' }, dead.leaseToken);
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
    await executions.patch(scope, dead.execution.id, { status: 'running' }, second.leaseToken);
    const done = await executions.patch(
      scope,
      dead.execution.id,
      { status: 'completed', response: 'done' },
      second.leaseToken,
    );
    expect(done).toMatchObject({ status: 'completed', response: 'done' });
  });

  it('fails the execution with the cause when no attempt is left', async () => {
    const scope = newQueueScope();
    const { id } = await executions.start(scope, {
      ...startRequest(scope.queueId),
      config: { retry_policy: { max_attempts: 2 } },
    });
    await leaseOne(scope);
    await expireLeases(scope);
    await leaseOne(scope);
    await expireLeases(scope);
    expect(await executions.read(scope, id)).toMatchObject({
      status: 'failed',
      error_message: 'The worker stopped responding (attempt 2 of 2)',
      completed_at: expect.any(Date),
    });
    expect(await poll(scope, { waitMs: 0 })).toEqual([]);
  });

  it('renews and releases leases in concurrent requests of one worker without a deadlock', async () => {
    const scope = newQueueScope();
    for (let count = 0; count < 40; count += 1) await executions.start(scope, startRequest(scope.queueId));
    expect(await poll(scope, { max: 40 })).toHaveLength(40);
    const renewals = Array.from({ length: 40 }, () => leases.renewAll(scope, scope.workerId, LEASE_MS));
    const released = leases.releaseAll(scope, scope.workerId, 'shutdown');
    await expect(Promise.all(renewals)).resolves.toHaveLength(40);
    expect(await released).toBe(40);
  });

  it('renews all running leases of a worker', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    await executions.start(scope, startRequest(scope.queueId));
    const held = [await leaseOne(scope, { leaseMs: 1 }), await leaseOne(scope, { leaseMs: 1 })];
    for (const { execution, leaseToken } of held) {
      await executions.patch(scope, execution.id, { status: 'running' }, leaseToken);
    }
    await leases.renewAll(scope, scope.workerId, LEASE_MS);
    await releases.reapExpired();
    for (const { execution, leaseToken } of held) {
      await executions.patch(scope, execution.id, { usage: { total_tokens: 1 } }, leaseToken);
    }
  });

  it('expires a lease whose execution is never started, in spite of heartbeats: the worker may not have received it', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const undelivered = await leaseOne(scope, { confirmMs: 1 });
    await leases.renewAll(scope, scope.workerId, LEASE_MS);
    await eventually(async () => {
      await releases.reapExpired();
      const [again] = await poll(scope, { waitMs: 0 });
      expect(again).toMatchObject({ attempt: 2, execution: { id: undelivered.execution.id } });
    });
  });

  it('extends a lease to its full length with the first write', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const { execution, leaseToken, expiresAt } = await leaseOne(scope, { confirmMs: 10_000 });
    await executions.patch(scope, execution.id, { status: 'running' }, leaseToken);
    const [row] = await context.database.sql<{ at: Date }>(
      'SELECT lease_expires_at AS at FROM executions WHERE id = $1',
      [execution.id],
    );
    expect((row?.at.getTime() ?? 0) - expiresAt.getTime()).toBeGreaterThanOrEqual(LEASE_MS - 10_000);
  });

  it("renews the lease with the holder's writes", async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const { execution, leaseToken } = await leaseOne(scope, { leaseMs: 300 });
    await executions.patch(scope, execution.id, { status: 'running' }, leaseToken);
    const expiresAt = async (): Promise<number> => {
      const [row] = await context.database.sql<{ at: Date }>(
        'SELECT lease_expires_at AS at FROM executions WHERE id = $1',
        [execution.id],
      );
      return row?.at.getTime() ?? 0;
    };
    const before = await expiresAt();
    await eventually(async () => {
      await executions.patch(scope, execution.id, { execution_metadata: { step: 1 } }, leaseToken);
      expect(await expiresAt()).toBeGreaterThan(before);
    });
  });

  it('makes executions of a worker that shuts down available at once, without counting an attempt', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const { execution, leaseToken } = await leaseOne(scope);
    await executions.patch(scope, execution.id, { status: 'running' }, leaseToken);
    expect(await leases.releaseAll(scope, scope.workerId, 'shutdown')).toBe(1);
    expect(await leases.releaseAll(scope, scope.workerId, 'shutdown')).toBe(0);
    const next = await leaseOne(scope, { workerId: newId() });
    expect(next).toMatchObject({ attempt: 1, execution: { id: execution.id, status: 'pending' } });
    await expect(executions.patch(scope, execution.id, { status: 'completed' }, leaseToken)).rejects.toMatchObject({
      code: 'lease_lost',
    });
  });

  it('counts an attempt for each crash, so that an execution that crashes its workers finally fails', async () => {
    const scope = newQueueScope();
    const { id } = await executions.start(scope, startRequest(scope.queueId));
    for (const attempt of [1, 2, 3]) {
      expect(await leaseOne(scope)).toMatchObject({ attempt });
      await leases.releaseAll(scope, scope.workerId, 'crash');
    }
    expect(await executions.read(scope, id)).toMatchObject({
      status: 'failed',
      error_message: 'The worker crashed (attempt 3 of 3)',
    });
  });

  it('does not lease a cancelled execution', async () => {
    const scope = newQueueScope();
    const { id } = await executions.start(scope, startRequest(scope.queueId));
    expect(await executions.cancel(scope, id, null)).toMatchObject({
      status: 'cancelled',
      completed_at: expect.any(Date),
    });
    expect(await poll(scope, { waitMs: 0 })).toEqual([]);
  });

  it('ends the lease with a cancellation; the worker receives a command and its writes are rejected', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const { execution, leaseToken } = await leaseOne(scope);
    await executions.patch(scope, execution.id, { status: 'running' }, leaseToken);
    await executions.cancel(scope, execution.id, null);
    const expected = [{ command: 'cancel', execution_id: execution.id }];
    expect(await leases.renewAll(scope, scope.workerId, LEASE_MS)).toEqual(expected);
    expect(await leases.commandsFor(scope, scope.workerId)).toEqual(expected);
    const late = executions.patch(scope, execution.id, { usage: { tokens: 1 } }, leaseToken);
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
    await expireLeases(scope);
    expect((await executions.read(scope, execution.id)).status).toBe('cancelled');
  });

  it('returns pause and resume commands to the worker', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const { execution, leaseToken } = await leaseOne(scope);
    await executions.patch(scope, execution.id, { status: 'running' }, leaseToken);
    await executions.pause(scope, execution.id, null);
    expect(await leases.renewAll(scope, scope.workerId, LEASE_MS)).toEqual([
      { command: 'pause', execution_id: execution.id },
    ]);
    await executions.resume(scope, execution.id, null);
    expect(await leases.renewAll(scope, scope.workerId, LEASE_MS)).toEqual([
      { command: 'resume', execution_id: execution.id },
    ]);
  });

  it('leaves an execution paused when its lease expires, and queues it again when it is resumed', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const { execution, leaseToken } = await leaseOne(scope);
    await executions.patch(scope, execution.id, { status: 'running' }, leaseToken);
    await executions.pause(scope, execution.id, null);
    await expireLeases(scope);
    expect((await executions.read(scope, execution.id)).status).toBe('paused');
    expect(await poll(scope, { waitMs: 0 })).toEqual([]);
    expect((await executions.resume(scope, execution.id, null)).status).toBe('pending');
    expect(await leaseOne(scope)).toMatchObject({ attempt: 2, execution: { id: execution.id } });
  });

  it('accepts late writes under the token of the holder that ended the execution', async () => {
    const scope = newQueueScope();
    await executions.start(scope, startRequest(scope.queueId));
    const { execution, leaseToken } = await leaseOne(scope);
    await executions.patch(scope, execution.id, { status: 'running' }, leaseToken);
    await executions.patch(scope, execution.id, { status: 'completed' }, leaseToken);
    const late = await executions.patch(scope, execution.id, { usage: { total_tokens: 7 } }, leaseToken);
    expect(late).toMatchObject({ status: 'completed', usage: { total_tokens: 7 } });
    expect(await leases.renewAll(scope, scope.workerId, LEASE_MS)).toEqual([]);
  });
});
