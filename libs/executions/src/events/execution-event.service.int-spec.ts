import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RedisConnections } from '@app/connections';
import { EventLog, type ExecutionRef } from '@app/events';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { ExecutionEventService } from './execution-event.service.js';
import { ExecutionFinishedHandler } from '../executions/execution-finished.handler.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReleaseService } from '../leases/lease-release.service.js';
import { LeaseService } from '../leases/lease.service.js';
import { startOf } from '../testing/start-of.js';
import { OpenGateModule } from '../executions/open-gate.module.js';

const chunk = { event_type: 'message_chunk', data: { content: 'hi' } };

describe('events of an execution', () => {
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

  async function lease(place: { organizationId: string; queueId: string }, leaseMs = 60_000): Promise<Leased> {
    const workerId = newId();
    const poll = { workerId, queueId: place.queueId, max: 1, waitMs: 3000, leaseMs, confirmMs: leaseMs };
    const [leased] = await context.get(LeaseService).poll(place, poll);
    if (leased === undefined) throw new Error('Nothing was leased');
    return { organizationId: place.organizationId, id: leased.execution.id, token: leased.leaseToken, workerId };
  }

  async function newLease(leaseMs?: number): Promise<Leased & { readonly queueId: string }> {
    const place = { organizationId: newId(), queueId: newId() };
    await executions.start(place, startOf(place.queueId));
    return { ...(await lease(place, leaseMs)), queueId: place.queueId };
  }

  /** The types and data kept for an execution, in order. */
  async function kept({ organizationId, id }: Leased): Promise<string[]> {
    const page = await context.get(EventLog).read({ organizationId, executionId: id }, 'first');
    return page.frames.map((frame) => /^event: (.*)$/m.exec(frame.bytes.toString())?.[1] ?? '?');
  }

  it("are taken under the holder's token, and without one", async () => {
    const run = await newLease();
    const published = await events.publish(run, run.id, chunk, run.token);
    expect(published).toMatchObject({ execution_id: run.id, event_type: 'message_chunk' });
    expect(published.event_id).toMatch(new RegExp(`^${run.id}_1_\\d{16}$`));
    await events.publish(run, run.id, chunk, null);
    expect(await kept(run)).toEqual(['message_chunk', 'message_chunk']);
  });

  it('are refused for an execution that does not exist here', async () => {
    const run = await newLease();
    const elsewhere = { organizationId: newId() };
    await expect(events.publish(elsewhere, run.id, chunk, null)).rejects.toMatchObject({ code: 'execution_not_found' });
    await expect(events.publish(run, 'missing', chunk, null)).rejects.toMatchObject({ code: 'execution_not_found' });
  });

  it('are refused under a token that is not the current one, and not written', async () => {
    const run = await newLease();
    await expect(events.publish(run, run.id, chunk, 'another')).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await kept(run)).toEqual([]);
  });

  it('of a worker taken for dead are refused once another holds the lease', async () => {
    const dead = await newLease(1);
    await context.get(LeaseReleaseService).reapExpired();
    const next = await lease(dead);
    expect(next.id).toBe(dead.id);
    await events.publish(next, next.id, chunk, next.token);
    await expect(events.publish(dead, dead.id, chunk, dead.token)).rejects.toMatchObject({ code: 'lease_lost' });
  });

  it('of a cancelled execution are refused to its worker', async () => {
    const run = await newLease();
    await events.publish(run, run.id, chunk, run.token);
    await executions.cancel(run, run.id, null);
    await expect(events.publish(run, run.id, chunk, run.token)).rejects.toMatchObject({ code: 'lease_lost' });
  });

  describe('when the event log would keep the token of a lease that ended', () => {
    afterEach(() => {
      jest.restoreAllMocks();
    });

    const refOf = ({ organizationId, id }: Leased): ExecutionRef => ({ organizationId, executionId: id });
    const passes = async (run: Leased): Promise<boolean> =>
      (await context.get(EventLog).publish(refOf(run), chunk, run.token)) !== null;

    /** Does something else between the decision to tell the event log a token and the telling. */
    function beforeTheTokenIsTold(interrupt: () => Promise<unknown>): void {
      const log = context.get(EventLog);
      const setLease = log.setLease.bind(log);
      jest.spyOn(log, 'setLease').mockImplementationOnce(async (...lease) => {
        await interrupt();
        await setLease(...lease);
      });
    }

    it('are refused, though the lease was renewed a moment before it was cancelled', async () => {
      const run = await newLease();
      await context.get(EventLog).clearLease(refOf(run));
      beforeTheTokenIsTold(() => executions.cancel(run, run.id, null));
      await expect(events.publish(run, run.id, chunk, run.token)).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await passes(run)).toBe(false);
    });

    it('are refused, though the lease ended as soon as it was given', async () => {
      const place = { organizationId: newId(), queueId: newId() };
      const { id } = await executions.start(place, startOf(place.queueId));
      beforeTheTokenIsTold(() => executions.cancel(place, id, null));
      const run = await lease(place);
      await executions.cancel(run, run.id, null);
      await expect(events.publish(run, run.id, chunk, run.token)).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await passes(run)).toBe(false);
    });

    it('are refused soon after its removal was lost: the next renewal makes up for it', async () => {
      const run = await newLease();
      await events.publish(run, run.id, chunk, run.token);
      jest.spyOn(context.get(EventLog), 'clearLease').mockRejectedValueOnce(new Error('Redis is away'));
      await executions.cancel(run, run.id, null);
      expect(await passes(run)).toBe(true);
      const elsewhere = await createTestContext([OpenGateModule, ExecutionsModule], { shareWith: context });
      await elsewhere.get(ExecutionEventService).publish(run, run.id, chunk, run.token);
      await eventually(async () => expect(await passes(run)).toBe(false), 30_000);
      await elsewhere.close();
    });

    it('of the next holder are taken, though its token was written over by that of the former', async () => {
      const former = await newLease(1);
      await context.get(LeaseReleaseService).reapExpired();
      const next = await lease(former);
      const log = context.get(EventLog);
      await log.clearLease(refOf(next));
      const publish = log.publish.bind(log);
      let told = 0;
      jest.spyOn(log, 'publish').mockImplementation(async (...event) => {
        told += 1;
        if (told === 2) await log.setLease(refOf(next), former.token, 60_000);
        return publish(...event);
      });
      expect(await events.publish(next, next.id, chunk, next.token)).toMatchObject({ execution_id: next.id });
    });
  });

  it('go on after Redis lost everything: Postgres knows the token', async () => {
    const run = await newLease();
    await events.publish(run, run.id, chunk, run.token);
    await context.get(RedisConnections).commands.flushdb();
    await events.publish(run, run.id, chunk, run.token);
    expect(await kept(run)).toEqual(['message_chunk']);
    await expect(events.publish(run, run.id, chunk, 'another')).rejects.toMatchObject({ code: 'lease_lost' });
  });

  it('renew the lease under which they are published', async () => {
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

  it('tell changes of its state, and at last that it is done', async () => {
    const run = await newLease();
    await executions.patch(run, run.id, { status: 'running' }, run.token);
    await executions.patch(run, run.id, { status: 'running', usage: { n: 1 } }, run.token);
    await executions.patch(run, run.id, { status: 'completed', response: 'Hello' }, run.token);
    await eventually(async () => expect((await kept(run)).sort()).toEqual(['done', 'status', 'status']));
    const ref = { organizationId: run.organizationId, executionId: run.id };
    expect(await executions.findFinal([ref, { ...ref, executionId: 'missing' }])).toEqual([
      { ...ref, done: expect.objectContaining({ execution_id: run.id, status: 'completed', response: 'Hello' }) },
    ]);
  });

  it('tell its last state before they say that it is done, also when the first try to tell it fails', async () => {
    const run = await newLease();
    await context.database.sql(`UPDATE executions SET status = 'failed' WHERE organization_id = $1`, [
      run.organizationId,
    ]);
    const log = context.get(EventLog);
    const publish = log.publish.bind(log);
    const failing = jest.spyOn(log, 'publish').mockImplementation(async (execution, event, token) => {
      if (event.event_type === 'status') throw new Error('Redis is away');
      return publish(execution, event, token);
    });
    const finished = { organizationId: run.organizationId, executionId: run.id, from: 'pending' as const };
    const handler = context.get(ExecutionFinishedHandler);
    await expect(handler.handle(finished)).rejects.toThrow('Redis is away');
    failing.mockRestore();
    await handler.handle(finished);
    expect(await kept(run)).toEqual(['status', 'done']);
  });
});
