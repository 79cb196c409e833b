import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { EventLog, type ExecutionRef } from '@app/events';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { ExecutionEventService } from './execution-event.service.js';
import { ExecutionFinishedHandler } from '../executions/execution-finished.handler.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReleaseService } from '../leases/lease-release.service.js';
import { LeaseService } from '../leases/lease.service.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';

const chunk = { event_type: 'message_chunk', data: { content: 'hi' } };

describe('ExecutionEventService', () => {
  let context: TestContext;
  let executions: ExecutionService;
  let events: ExecutionEventService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
    events = context.get(ExecutionEventService);
  });

  afterAll(() => context.close());

  interface Leased extends Scope {
    readonly id: string;
    readonly token: string;
    readonly workerId: string;
  }

  async function lease(scope: { organizationId: string; queueId: string }, leaseMs = 60_000): Promise<Leased> {
    const workerId = newId();
    const poll = { workerId, queueId: scope.queueId, max: 1, waitMs: 3000, leaseMs, confirmMs: leaseMs };
    const [leased] = await context.get(LeaseService).poll(scope, poll);
    if (leased === undefined) throw new Error('Nothing was leased');
    return { organizationId: scope.organizationId, id: leased.execution.id, token: leased.leaseToken, workerId };
  }

  async function newLease(leaseMs?: number): Promise<Leased & { readonly queueId: string }> {
    const scope = { organizationId: newId(), queueId: newId() };
    await executions.start(scope, startRequest(scope.queueId));
    return { ...(await lease(scope, leaseMs)), queueId: scope.queueId };
  }

  /** Returns the next lease of an execution. The former one may end after the reaper has looked. */
  function leaseAfter(former: Leased & { readonly queueId: string }): Promise<Leased> {
    return eventually(async () => {
      await context.get(LeaseReleaseService).reapExpired();
      return lease(former);
    });
  }

  /** Returns the types of the stored events of an execution, in order. */
  async function storedTypes({ organizationId, id }: Leased): Promise<string[]> {
    const page = await context.get(EventLog).read({ organizationId, executionId: id }, 'first');
    return page.frames.map((frame) => /^event: (.*)$/m.exec(frame.bytes.toString())?.[1] ?? '?');
  }

  it("accepts events under the holder's token and without a token", async () => {
    const run = await newLease();
    const published = await events.publish(run, run.id, chunk, run.token);
    expect(published).toMatchObject({ execution_id: run.id, event_type: 'message_chunk' });
    expect(published.event_id).toMatch(new RegExp(`^${run.id}_1_\\d{16}$`));
    await events.publish(run, run.id, chunk, null);
    expect(await storedTypes(run)).toEqual(['message_chunk', 'message_chunk']);
  });

  it('rejects events for an execution that does not exist in the organization', async () => {
    const run = await newLease();
    const elsewhere = { organizationId: newId() };
    await expect(events.publish(elsewhere, run.id, chunk, null)).rejects.toMatchObject({ code: 'execution_not_found' });
    await expect(events.publish(run, 'missing', chunk, null)).rejects.toMatchObject({ code: 'execution_not_found' });
  });

  it('rejects events under a stale token and stores nothing', async () => {
    const run = await newLease();
    await expect(events.publish(run, run.id, chunk, 'another')).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await storedTypes(run)).toEqual([]);
  });

  it('rejects events of a worker whose expired lease another worker holds', async () => {
    const dead = await newLease(1);
    const next = await leaseAfter(dead);
    expect(next.id).toBe(dead.id);
    await events.publish(next, next.id, chunk, next.token);
    await expect(events.publish(dead, dead.id, chunk, dead.token)).rejects.toMatchObject({ code: 'lease_lost' });
  });

  it('rejects events of the worker of a cancelled execution', async () => {
    const run = await newLease();
    await events.publish(run, run.id, chunk, run.token);
    await executions.cancel(run, run.id, null);
    await expect(events.publish(run, run.id, chunk, run.token)).rejects.toMatchObject({ code: 'lease_lost' });
  });

  describe('when the event log may still contain the token of an ended lease', () => {
    afterEach(() => {
      jest.restoreAllMocks();
    });

    const refOf = ({ organizationId, id }: Leased): ExecutionRef => ({ organizationId, executionId: id });
    const isAccepted = async (run: Leased): Promise<boolean> =>
      (await context.get(EventLog).publish(refOf(run), chunk, run.token)) !== null;

    /** Runs `interrupt` after the decision to set a token in the event log and before the token is set. */
    function beforeTokenIsSet(interrupt: () => Promise<unknown>): void {
      const log = context.get(EventLog);
      const setLease = log.setLease.bind(log);
      jest.spyOn(log, 'setLease').mockImplementationOnce(async (...lease) => {
        await interrupt();
        await setLease(...lease);
      });
    }

    it('rejects events when the execution is cancelled right after its lease was renewed', async () => {
      const run = await newLease();
      await context.get(EventLog).clearLease(refOf(run));
      beforeTokenIsSet(() => executions.cancel(run, run.id, null));
      await expect(events.publish(run, run.id, chunk, run.token)).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await isAccepted(run)).toBe(false);
    });

    it('rejects events when the lease ends immediately after it was acquired', async () => {
      const scope = { organizationId: newId(), queueId: newId() };
      const { id } = await executions.start(scope, startRequest(scope.queueId));
      beforeTokenIsSet(() => executions.cancel(scope, id, null));
      const run = await lease(scope);
      await executions.cancel(run, run.id, null);
      await expect(events.publish(run, run.id, chunk, run.token)).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await isAccepted(run)).toBe(false);
    });

    it('removes a token with the next renewal if its first removal failed', async () => {
      const run = await newLease();
      await events.publish(run, run.id, chunk, run.token);
      jest.spyOn(context.get(EventLog), 'clearLease').mockRejectedValueOnce(new Error('Redis is unavailable'));
      await executions.cancel(run, run.id, null);
      expect(await isAccepted(run)).toBe(true);
      const other = await createTestContext([OpenGateModule, ExecutionsModule], { shareWith: context });
      await other.get(ExecutionEventService).publish(run, run.id, chunk, run.token);
      await eventually(async () => expect(await isAccepted(run)).toBe(false));
      await other.close();
    });

    it('accepts events of the next holder even if the token of the former one overwrote its token', async () => {
      const former = await newLease(1);
      const next = await leaseAfter(former);
      const log = context.get(EventLog);
      await log.clearLease(refOf(next));
      const publish = log.publish.bind(log);
      let publications = 0;
      jest.spyOn(log, 'publish').mockImplementation(async (...event) => {
        publications += 1;
        if (publications === 2) await log.setLease(refOf(next), former.token, 60_000);
        return publish(...event);
      });
      expect(await events.publish(next, next.id, chunk, next.token)).toMatchObject({ execution_id: next.id });
    });
  });

  it('accepts events after Redis lost its data, because the token is in PostgreSQL', async () => {
    const run = await newLease();
    await events.publish(run, run.id, chunk, run.token);
    await context.get(RedisConnections).commands.flushdb();
    await events.publish(run, run.id, chunk, run.token);
    expect(await storedTypes(run)).toEqual(['message_chunk']);
    await expect(events.publish(run, run.id, chunk, 'another')).rejects.toMatchObject({ code: 'lease_lost' });
  });

  it('renews the lease under which an event is published', async () => {
    const run = await newLease();
    const expiry = async (): Promise<number> => {
      const [row] = await context.database.sql<{ at: Date }>(
        'SELECT lease_expires_at AS at FROM executions WHERE organization_id = $1 AND id = $2',
        [run.organizationId, run.id],
      );
      return row?.at.getTime() ?? 0;
    };
    const first = await expiry();
    await events.publish(run, run.id, chunk, run.token);
    await eventually(async () => expect(await expiry()).toBeGreaterThan(first));
  });

  it('publishes status changes and finally `done`', async () => {
    const run = await newLease();
    await executions.patch(run, run.id, { status: 'running' }, run.token);
    await executions.patch(run, run.id, { status: 'running', usage: { n: 1 } }, run.token);
    const end = { status: 'completed', response: 'Hello', completed_at: new Date('2000-01-01') } as const;
    const { updated_at: updatedAt } = await executions.patch(run, run.id, end, run.token);
    await eventually(async () => expect((await storedTypes(run)).sort()).toEqual(['done', 'status', 'status']));
    const ref = { organizationId: run.organizationId, executionId: run.id };
    expect(await executions.findFinal([ref, { ...ref, executionId: 'missing' }])).toEqual([
      {
        ...ref,
        done: {
          execution_id: run.id,
          status: 'completed',
          response: 'Hello',
          error_message: null,
          usage: { n: 1 },
          completed_at: end.completed_at.toISOString(),
          timestamp: updatedAt.toISOString(),
        },
        updatedAt,
      },
    ]);
  });

  it('publishes the final status before `done`, even if the first attempt to publish fails', async () => {
    const run = await newLease();
    await context.database.sql(`UPDATE executions SET status = 'failed' WHERE organization_id = $1`, [
      run.organizationId,
    ]);
    const log = context.get(EventLog);
    const publish = log.publish.bind(log);
    const failing = jest.spyOn(log, 'publish').mockImplementation(async (execution, event, token) => {
      if (event.event_type === 'status') throw new Error('Redis is unavailable');
      return publish(execution, event, token);
    });
    const finished = { organizationId: run.organizationId, executionId: run.id, from: 'pending' as const };
    const handler = context.get(ExecutionFinishedHandler);
    await expect(handler.handle(finished)).rejects.toThrow('Redis is unavailable');
    failing.mockRestore();
    await handler.handle(finished);
    expect(await storedTypes(run)).toEqual(['status', 'done']);
  });
});
