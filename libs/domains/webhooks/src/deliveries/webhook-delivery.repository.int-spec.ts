import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setEnvironment, WebhooksConfig } from '@app/config';
import { ExecutionService } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { PlatformSpansService, TracesModule } from '@app/traces';
import { EgressGuard } from '../egress-guard.js';
import { WebhookRepository } from '../webhook.repository.js';
import { WebhookService } from '../webhook.service.js';
import { WebhooksModule } from '../webhooks.module.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { DeliveryBacklog } from './delivery-backlog.js';
import { DeliveryQueue } from './delivery-queue.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { DeliveryTraces } from './delivery-traces.js';
import { DeliverySender } from './delivery-sender.js';
import { newDeliveries } from '../testing/new-deliveries.js';

const DAY_MS = 86_400_000;

describe('WebhookDeliveryRepository', () => {
  const clock = new ManualClock();
  let context: TestContext;

  beforeAll(async () => {
    setEnvironment({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    context = await createTestContext([OpenGateModule, TracesModule, WebhooksModule], { clock });
  });

  afterAll(() => context.close());

  it('deletes old deliveries that have ended, in batches', async () => {
    const caller = testCaller();
    const { id: webhookId } = await context.get(WebhookService).create(caller, { url: 'http://127.0.0.1:9/' });
    const webhook = { organizationId: caller.organizationId, webhookId };
    const deliveries = context.get(WebhookDeliveryRepository);
    const insert = async (name: string): Promise<void> => {
      await deliveries.insertMissing(
        newDeliveries(caller.organizationId, [webhookId], [name]),
        clock.now(),
        clock.now(),
      );
    };
    for (const name of ['first', 'second', 'first']) await insert(name);
    expect([
      await deliveries.failPending(webhook, 'no answer', 1),
      await deliveries.failPending(webhook, 'no answer', 5),
    ]).toEqual([1, 1]);
    await insert('pending');
    clock.advance(DAY_MS);
    await insert('young');
    const before = new Date(clock.millis() - 1);
    expect([await deliveries.prune(before, 1), await deliveries.prune(before, 5)]).toEqual([1, 1]);
    const { items } = await deliveries.list(webhook, {}, { skip: 0, limit: 10 });
    expect(items.map(({ event_id, status }) => [event_id, status])).toEqual([
      ['young', 'pending'],
      ['pending', 'pending'],
    ]);
  });

  it('claims each due delivery once, and again after its lease has expired', async () => {
    const caller = testCaller();
    const { id: webhookId } = await context.get(WebhookService).create(caller, { url: 'http://127.0.0.1:9/' });
    const webhook = { organizationId: caller.organizationId, webhookId };
    const deliveries = context.get(WebhookDeliveryRepository);
    await deliveries.insertMissing(
      newDeliveries(caller.organizationId, [webhookId], ['e'], '{"a":1}'),
      clock.now(),
      clock.now(),
    );
    const claim = () => deliveries.claim(webhook, clock.now(), new Date(clock.millis() + 1000), 5);
    const [first] = await claim();
    expect(first?.body).toBe('{"a":1}');
    expect(await claim()).toEqual([]);
    expect(await deliveries.findDueWebhooks(caller, clock.now())).toEqual([]);
    clock.advance(1000);
    expect(await deliveries.findDueWebhooks(caller, clock.now())).toEqual([webhookId]);
    expect(await claim()).toEqual([{ ...first, attempts: 2 }]);
    if (first === undefined) throw new Error('Nothing was claimed');
    await deliveries.record(first, { status: 'delivered', next_attempt_at: null });
    expect(await deliveries.find(caller, first.id)).toMatchObject({ status: 'pending', attempts: 2 });
  });

  it('finds organizations with due deliveries, and their webhooks, those that have been due longest first', async () => {
    const caller = testCaller();
    const deliveries = context.get(WebhookDeliveryRepository);
    const due: string[] = [];
    for (const minutes of [2, 3, 1]) {
      const { id } = await context.get(WebhookService).create(caller, { url: 'http://127.0.0.1:9/' });
      const dueAt = new Date(minutes * 60_000);
      await deliveries.insertMissing(newDeliveries(caller.organizationId, [id], ['e']), clock.now(), dueAt);
      due[minutes - 1] = id;
    }
    expect(await deliveries.findDueWebhooks(caller, clock.now())).toEqual(due);
    expect(await deliveries.findDueWebhooks(caller, new Date(120_000))).toEqual(due.slice(0, 2));
    const organizations = await deliveries.findDueOrganizations(clock.now());
    expect(organizations.filter((id) => id === caller.organizationId)).toHaveLength(1);
    expect(await deliveries.findDueOrganizations(new Date(0))).toEqual([]);
  });

  it('stores the body of an event once for all webhooks, and deletes it after its deliveries', async () => {
    const caller = testCaller();
    const deliveries = context.get(WebhookDeliveryRepository);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.push((await context.get(WebhookService).create(caller, { url: 'http://127.0.0.1:9/' })).id);
    }
    const body = JSON.stringify({ text: 'x'.repeat(10_000) });
    const stored = newDeliveries(caller.organizationId, ids, ['one', 'two'], body);
    await deliveries.insertMissing(stored, clock.now(), clock.now());
    const bodies = `SELECT (SELECT sum(octet_length(body))::int FROM webhook_events WHERE organization_id = $1) AS events,
      (SELECT sum(octet_length(body))::int FROM webhook_deliveries WHERE organization_id = $1) AS deliveries`;
    expect(await context.database.sql(bodies, [caller.organizationId])).toEqual([
      { events: 2 * body.length, deliveries: null },
    ]);
    for (const { id } of stored.deliveries) expect((await deliveries.find(caller, id))?.body).toBe(body);
    const [kept = '', ...deleted] = ids;
    for (const id of deleted) await context.get(WebhookService).delete(caller, id);
    clock.advance(1);
    await deliveries.pruneEvents(clock.now(), 1000);
    expect((await deliveries.find(caller, stored.deliveries[0]?.id ?? ''))?.body).toBe(body);
    await context.get(WebhookService).delete(caller, kept);
    await deliveries.pruneEvents(clock.now(), 1000);
    expect(await context.database.sql(bodies, [caller.organizationId])).toEqual([{ events: null, deliveries: null }]);
  });

  it('disables webhooks with too many pending deliveries, and ends these deliveries', async () => {
    const caller = testCaller();
    const deliveries = context.get(WebhookDeliveryRepository);
    const fill = async (count: number): Promise<string> => {
      const { id: webhook_id } = await context.get(WebhookService).create(caller, { url: 'http://127.0.0.1:9/' });
      const rows = newDeliveries(
        caller.organizationId,
        [webhook_id],
        Array.from({ length: count }, (_row, n) => String(n)),
      );
      await deliveries.insertMissing(rows, clock.now(), new Date(clock.millis() + DAY_MS));
      return webhook_id;
    };
    const [full, within] = [await fill(11), await fill(10)];
    const config = { ...context.get(WebhooksConfig), maxPending: 10 } as WebhooksConfig;
    const [webhooks, queue] = [context.get(WebhookRepository), context.get(DeliveryQueue)];
    const backlog = new DeliveryBacklog(webhooks, deliveries, queue, config, clock);
    const sender = new DeliverySender(context.get(EgressGuard), config);
    const recorder = new AttemptRecorder(webhooks, deliveries, queue, config, clock);
    const traces = new DeliveryTraces(context.get(ExecutionService), context.get(PlatformSpansService), clock);
    const attempts = new DeliveryAttempts(webhooks, deliveries, sender, recorder, traces, clock);
    await backlog.disableOverfull();
    const read = async (id: string) => context.get(WebhookService).read(caller, id);
    const disabled_reason = 'More than 10 deliveries were pending';
    expect(await read(full)).toMatchObject({ status: 'disabled', disabled_reason });
    expect((await read(within)).status).toBe('active');
    const ref = { organizationId: caller.organizationId, webhookId: full };
    expect(await attempts.run(ref)).toBe(false);
    const page = { skip: 0, limit: 1 };
    expect(await deliveries.list(ref, { status: 'pending' }, page)).toMatchObject({ total: 0 });
    expect(await deliveries.list(ref, { status: 'failed' }, page)).toMatchObject({
      total: 11,
      items: [{ error: disabled_reason }],
    });
  });
});
