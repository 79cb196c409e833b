import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RedisConnections } from '@app/connections';
import { TaskQueues } from '@app/dispatch';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { DeliveryService } from './delivery.service.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsHandlersModule } from '../executions.handlers.module.js';
import { LeaseService } from '../leases/lease.service.js';
import { startOf } from '../testing/start-of.js';
import { OpenGateModule } from '../executions/open-gate.module.js';

const never = new AbortController().signal;

describe('deliveries', () => {
  let context: TestContext;
  let executions: ExecutionService;
  let deliveries: DeliveryService;
  let queues: TaskQueues;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsHandlersModule]);
    executions = context.get(ExecutionService);
    deliveries = context.get(DeliveryService);
    queues = context.get(TaskQueues);
  });

  afterAll(() => context.close());

  interface Place extends Scope {
    readonly queueId: string;
  }

  /** A queue with so many executions, all of them relayed. */
  async function filledPlace(count: number): Promise<Place & { readonly ids: readonly string[] }> {
    const place = { organizationId: newId(), queueId: newId() };
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) ids.push((await executions.start(place, startOf(place.queueId))).id);
    await eventually(async () => expect(await queues.count(place.queueId)).toBe(count));
    return { ...place, ids };
  }

  async function takeAll(place: Place, max = 100): Promise<string[]> {
    const poll = { workerId: newId(), queueId: place.queueId, max, waitMs: 0, leaseMs: 60_000, confirmMs: 60_000 };
    return (await context.get(LeaseService).poll(place, poll)).map(({ execution }) => execution.id);
  }

  /** As if everything had been waiting for long. */
  async function letTimePass(): Promise<void> {
    await context.database.sql(`UPDATE executions SET queued_at = queued_at - interval '1 minute'`);
  }

  it('are told to be made again with a warning where a store is gone that was known, and without one at a first start', async () => {
    const warn = jest.spyOn(deliveries['logger'], 'warn');
    await deliveries.restoreLostStore(never);
    expect(warn).not.toHaveBeenCalled();
    await context.get(RedisConnections).commands.flushdb();
    await deliveries.restoreLostStore(never);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  it('are all made again, in order and once each, when Redis lost everything', async () => {
    const places = [await filledPlace(3), await filledPlace(2)];
    await context.get(RedisConnections).commands.flushdb();
    await deliveries.restoreLostStore(never);
    await deliveries.restoreLostStore(never);
    for (const place of places) expect(await takeAll(place)).toEqual(place.ids);
  });

  it('are not made again for what is leased, cancelled or finished', async () => {
    const place = await filledPlace(3);
    expect(await takeAll(place, 1)).toEqual([place.ids[0]]);
    await executions.cancel(place, place.ids[1] ?? '', null);
    await executions.patch(place, place.ids[2] ?? '', { status: 'completed' }, null);
    await context.get(RedisConnections).commands.flushdb();
    await deliveries.restoreLostStore(never);
    expect(await takeAll(place)).toEqual([]);
  });

  it('that went missing one by one are noticed and made again', async () => {
    const place = await filledPlace(3);
    const [lost] = await queues.receive(place.queueId, { max: 1, waitMs: 0 });
    expect(lost?.executionId).toBe(place.ids[0]);
    await deliveries.restoreLostDeliveries(never);
    expect(await queues.count(place.queueId)).toBe(2);
    await letTimePass();
    await deliveries.restoreLostDeliveries(never);
    expect([...(await takeAll(place))].sort()).toEqual(place.ids);
  });

  it('of a process that died while it took one are freed once its lock ran out', async () => {
    const place = await filledPlace(1);
    const { commands } = context.get(RedisConnections);
    const key = `bull:{work.${place.queueId}}`;
    // What such a process leaves: the message in the list of active ones, its lock gone.
    await commands.lmove(`${key}:wait`, `${key}:active`, 'RIGHT', 'LEFT');
    await letTimePass();
    await deliveries.restoreLostDeliveries(never);
    expect(await takeAll(place)).toEqual(place.ids);
  });

  it('are counted by queue, waiting and open', async () => {
    const [place, empty] = [await filledPlace(3), newId()];
    await takeAll(place);
    await executions.cancel(place, place.ids[0] ?? '', null);
    await executions.start(place, startOf(place.queueId));
    const asked = [place.queueId, empty];
    expect([...(await deliveries.waitingIn(asked))]).toEqual([
      [place.queueId, 1],
      [empty, 0],
    ]);
    expect([...(await deliveries.openIn(asked))]).toEqual([
      [place.queueId, 3],
      [empty, 0],
    ]);
  });
});
