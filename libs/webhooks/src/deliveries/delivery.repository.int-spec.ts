import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setEnvironment } from '@app/config';
import { OpenGateModule } from '@app/executions';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { WebhookService } from '../webhook.service.js';
import { WebhooksModule } from '../webhooks.module.js';
import { DeliveryRepository } from './delivery.repository.js';

const DAY_MS = 86_400_000;

describe('DeliveryRepository', () => {
  const clock = new ManualClock();
  let context: TestContext;

  beforeAll(async () => {
    setEnvironment({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    context = await createTestContext([OpenGateModule, WebhooksModule], { clock });
  });

  afterAll(() => context.close());

  it('deletes what has ended and is old enough, in batches', async () => {
    const caller = testCaller();
    const { id: webhookId } = await context.get(WebhookService).create(caller, { url: 'http://127.0.0.1:9/' });
    const webhook = { organizationId: caller.organizationId, webhookId };
    const deliveries = context.get(DeliveryRepository);
    const insert = async (name: string): Promise<void> => {
      const ids = { id: `${webhookId}-${name}`, organization_id: caller.organizationId, webhook_id: webhookId };
      const event = { event_id: name, event_type: 'done', execution_id: 'e', body: '{}' };
      await deliveries.insertMissing([{ ...ids, ...event }], clock.now(), clock.now());
    };
    for (const name of ['first', 'second', 'first']) await insert(name);
    await deliveries.failPending(webhook, 'no answer');
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

  it('claims each due delivery once, and again after its lease', async () => {
    const caller = testCaller();
    const { id: webhookId } = await context.get(WebhookService).create(caller, { url: 'http://127.0.0.1:9/' });
    const webhook = { organizationId: caller.organizationId, webhookId };
    const deliveries = context.get(DeliveryRepository);
    const row = { id: webhookId, organization_id: caller.organizationId, webhook_id: webhookId, event_id: 'e' };
    await deliveries.insertMissing(
      [{ ...row, event_type: 'x', execution_id: 'e', body: '{}' }],
      clock.now(),
      clock.now(),
    );
    const claim = () => deliveries.claim(webhook, clock.now(), new Date(clock.millis() + 1000), 5);
    const [first] = await claim();
    expect(await claim()).toEqual([]);
    expect(await deliveries.findDueWebhooks(clock.now(), 1000)).not.toContainEqual(webhook);
    clock.advance(1000);
    expect(await deliveries.findDueWebhooks(clock.now(), 1000)).toContainEqual(webhook);
    expect(await claim()).toEqual([{ ...first, attempts: 2 }]);
    if (first === undefined) throw new Error('Nothing was claimed');
    await deliveries.record(first, { status: 'delivered', next_attempt_at: null });
    expect(await deliveries.find(caller, webhookId)).toMatchObject({ status: 'pending', attempts: 2 });
  });
});
