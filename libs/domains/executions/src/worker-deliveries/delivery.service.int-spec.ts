import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { TaskQueues, type Delivery } from '@app/dispatch';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, ManualClock, type TestContext } from '@app/testing';
import { DeliveryService } from './delivery.service.js';
import { ExecutionQueuedHandler } from './execution-queued.handler.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseService } from '../leases/lease.service.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';

const never = new AbortController().signal;

describe('DeliveryService', () => {
  // No delivery becomes overdue while a test runs, however long it takes.
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let deliveries: DeliveryService;
  let queues: TaskQueues;

  beforeAll(async () => {
    // Without the periodic tasks of dispatchers, which would restore deliveries as well.
    context = await createTestContext([OpenGateModule, ExecutionsModule], { clock });
    executions = context.get(ExecutionService);
    deliveries = context.get(DeliveryService);
    queues = context.get(TaskQueues);
  });

  afterAll(() => context.close());

  interface QueueScope extends Scope {
    readonly queueId: string;
  }

  /** Creates a queue with `count` executions, whose messages have all been relayed. */
  async function newFilledQueue(count: number): Promise<QueueScope & { readonly ids: readonly string[] }> {
    const scope = { organizationId: newId(), queueId: newId() };
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1)
      ids.push((await executions.start(scope, startRequest(scope.queueId))).id);
    await eventually(async () => expect(await queues.count(scope.queueId)).toBe(count));
    return { ...scope, ids };
  }

  /** Inserts copies of a waiting execution without deliveries, each queued after the previous one. Returns their ids. */
  async function insertCopies(id: string, count: number): Promise<string[]> {
    const columns = await context.database.sql<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'executions'::regclass AND attnum > 0
         AND NOT attisdropped AND attname NOT IN ('id', 'queued_at')`,
    );
    const copied = columns.map(({ name }) => name).join(', ');
    const rows = await context.database.sql<{ id: string }>(
      `INSERT INTO executions (id, queued_at, ${copied})
       SELECT id || '-' || to_char(n, 'FM00000'), queued_at + n * interval '1 millisecond', ${copied}
       FROM executions, generate_series(1, $2::integer) n WHERE id = $1 RETURNING id`,
      [id, count],
    );
    return rows.map((row) => row.id).sort();
  }

  async function leaseAll(scope: QueueScope, max = 100): Promise<string[]> {
    const poll = { workerId: newId(), queueId: scope.queueId, max, waitMs: 0, leaseMs: 60_000, confirmMs: 60_000 };
    return (await context.get(LeaseService).poll(scope, poll)).map(({ execution }) => execution.id);
  }

  /** Makes every waiting execution overdue. */
  const makeOverdue = (): void => clock.advance(60_000);

  it('logs a warning when a message store that was used before lost its data, but not at the first start', async () => {
    const warn = jest.spyOn(deliveries['logger'], 'warn');
    await deliveries.restoreLostStore(never);
    expect(warn).not.toHaveBeenCalled();
    await context.get(RedisConnections).commands.flushdb();
    await deliveries.restoreLostStore(never);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  it('restores all deliveries once each and in order after Redis lost its data', async () => {
    const scopes = [await newFilledQueue(3), await newFilledQueue(2)];
    await context.get(RedisConnections).commands.flushdb();
    await deliveries.restoreLostStore(never);
    await deliveries.restoreLostStore(never);
    for (const scope of scopes) expect(await leaseAll(scope)).toEqual(scope.ids);
  });

  it('ends the restoration of a long queue when the process stops, and completes it at the next start', async () => {
    await context.database.sql('DELETE FROM executions');
    const scope = await newFilledQueue(1);
    await insertCopies(scope.ids[0] ?? '', 599);
    makeOverdue();
    await context.get(RedisConnections).commands.flushdb();
    let checks = 0;
    const stopping = {
      get aborted(): boolean {
        checks += 1;
        return checks > 1;
      },
    } as AbortSignal;
    await deliveries.restoreLostStore(stopping);
    expect(await queues.count(scope.queueId)).toBe(500);
    await deliveries.restoreLostStore(never);
    expect(await queues.count(scope.queueId)).toBe(600);
  });

  it('does not restore deliveries of leased, cancelled or finished executions', async () => {
    const scope = await newFilledQueue(3);
    expect(await leaseAll(scope, 1)).toEqual([scope.ids[0]]);
    await executions.cancel(scope, scope.ids[1] ?? '', null);
    await executions.patch(scope, scope.ids[2] ?? '', { status: 'completed' }, null);
    await context.get(RedisConnections).commands.flushdb();
    await deliveries.restoreLostStore(never);
    expect(await leaseAll(scope)).toEqual([]);
  });

  it('restores single lost deliveries once they are overdue', async () => {
    const scope = await newFilledQueue(3);
    const [lost] = await queues.receive(scope.queueId, { max: 1, waitMs: 0 });
    expect(lost?.executionId).toBe(scope.ids[0]);
    await deliveries.restoreLostDeliveries(never);
    expect(await queues.count(scope.queueId)).toBe(2);
    makeOverdue();
    await deliveries.restoreLostDeliveries(never);
    expect([...(await leaseAll(scope))].sort()).toEqual(scope.ids);
  });

  it('restores a lost delivery before all others even if the queue has as many deliveries as waiting executions', async () => {
    const scope = await newFilledQueue(4);
    const [lost] = await queues.receive(scope.queueId, { max: 1, waitMs: 0 });
    // Adds a delivery whose execution does not wait, so that the numbers are equal.
    await queues.enqueue(scope.queueId, { organizationId: scope.organizationId, executionId: newId(), attempt: 1 });
    expect(await queues.count(scope.queueId)).toBe(4);
    makeOverdue();
    await deliveries.restoreLostDeliveries(never);
    expect(await leaseAll(scope, 1)).toEqual([lost?.executionId]);
    expect(await leaseAll(scope)).toEqual(scope.ids.slice(1));
  });

  it('restores more lost deliveries than one check can compare', async () => {
    const scope = await newFilledQueue(120);
    await queues.receive(scope.queueId, { max: 110, waitMs: 0 });
    makeOverdue();
    await deliveries.restoreLostDeliveries(never);
    expect((await leaseAll(scope, 200)).sort()).toEqual([...scope.ids].sort());
  });

  it('restores all deliveries that processes took but did not claim, ahead of a backlog of thousands', async () => {
    const backlog = 5000;
    const scope = { organizationId: newId(), queueId: newId() };
    const { id } = await executions.start(scope, startRequest(scope.queueId));
    await eventually(async () => expect(await queues.count(scope.queueId)).toBe(1));
    const waiting = [id, ...(await insertCopies(id, backlog - 1))];
    const toDelivery = (executionId: string): Delivery => ({ ...scope, executionId, attempt: 1 });
    await queues.enqueue(scope.queueId, ...waiting.slice(1).map(toDelivery));
    const taken: string[] = [];
    for (let process = 0; process < 4; process += 1) {
      const received = await queues.receive(scope.queueId, { max: 100, waitMs: 0 });
      taken.push(...received.map(({ executionId }) => executionId));
    }
    expect(taken).toEqual(waiting.slice(0, 400));
    // Every second delivery was claimed before its process died.
    const [claimed, lost] = [0, 1].map((rest) => taken.filter((_id, n) => n % 2 === rest));
    await context.database.sql("UPDATE executions SET status = 'running', queued_at = NULL WHERE id = ANY($1)", [
      claimed,
    ]);
    makeOverdue();
    await deliveries.restoreLostDeliveries(never);
    expect(await queues.missing(scope.queueId, (lost ?? []).map(toDelivery))).toEqual([]);
    expect(await queues.count(scope.queueId)).toBe(backlog - 200);
    // The 100 oldest deliveries are restored before all others, the remaining ones together with the whole queue.
    expect(await leaseAll(scope)).toEqual(lost?.slice(0, 100));
    await context.database.sql('DELETE FROM executions WHERE organization_id = $1', [scope.organizationId]);
  });

  it('restores a delivery whose process died while it received the delivery', async () => {
    const scope = await newFilledQueue(1);
    const { commands } = context.get(RedisConnections);
    const key = `bull:{work.${scope.queueId}}`;
    // The state after such a process died: the message is in the list of active ones and its lock has expired.
    await commands.lmove(`${key}:wait`, `${key}:active`, 'RIGHT', 'LEFT');
    makeOverdue();
    await deliveries.restoreLostDeliveries(never);
    expect(await leaseAll(scope)).toEqual(scope.ids);
  });

  it('removes a delivery that a sweeper relayed after the end of its execution', async () => {
    const scope = { organizationId: newId(), queueId: newId() };
    const { id } = await executions.start(scope, startRequest(scope.queueId));
    await executions.cancel(scope, id, null);
    await eventually(async () => expect(await queues.count(scope.queueId)).toBe(0));
    const message = { organizationId: scope.organizationId, executionId: id, attempt: 1, queueId: scope.queueId };
    await context.get(ExecutionQueuedHandler).handle(message, { isOverdue: true });
    expect(await queues.count(scope.queueId)).toBe(0);
  });

  it('counts waiting and open executions by queue', async () => {
    const [scope, emptyQueueId] = [await newFilledQueue(3), newId()];
    await leaseAll(scope);
    await executions.cancel(scope, scope.ids[0] ?? '', null);
    await executions.start(scope, startRequest(scope.queueId));
    const queueIds = [scope.queueId, emptyQueueId];
    expect([...(await deliveries.waitingIn(queueIds))]).toEqual([
      [scope.queueId, 1],
      [emptyQueueId, 0],
    ]);
    expect(await deliveries.openIn(scope, scope.queueId)).toBe(3);
    expect(await deliveries.openIn(scope, emptyQueueId)).toBe(0);
    expect(await deliveries.openIn({ organizationId: newId() }, scope.queueId)).toBe(0);
  });
});
