import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setEnvironment } from '@app/config';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { createTestContext, eventually, ManualClock, testCaller, type TestContext } from '@app/testing';
import { getQueueToken } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { WebhookService } from '../webhook.service.js';
import { WebhooksModule } from '../webhooks.module.js';
import { WEBHOOK_DELIVERIES } from './delivery-queue.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { WebhookDeliveryService } from './webhook-delivery.service.js';

describe('WebhookDeliveryService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let deliveries: WebhookDeliveryService;
  let queue: Queue;

  beforeAll(async () => {
    setEnvironment({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    context = await createTestContext([OpenGateModule, WebhooksModule], { clock });
    deliveries = context.get(WebhookDeliveryService);
    queue = context.app.get<Queue>(getQueueToken(WEBHOOK_DELIVERIES), { strict: false });
  });

  afterAll(() => context.close());

  const replayed = { status: 'failed', from: new Date(0), to: new Date(clock.millis() + 1) } as const;
  const actions: [string, (caller: Caller, webhookId: string, deliveryId: string) => Promise<unknown>][] = [
    ['a test', (caller, webhookId) => deliveries.test(caller, webhookId)],
    ['a replay', (caller, _webhookId, deliveryId) => deliveries.replay(caller, deliveryId)],
    ['the replay of a time range', (caller, webhookId) => deliveries.replayRange(caller, webhookId, replayed)],
  ];

  it.each(actions)('wakes the processor for %s after the commit', async (_name, act) => {
    const caller = testCaller();
    const { id: webhookId } = await context.get(WebhookService).create(caller, { url: 'http://127.0.0.1:9/' });
    const { id } = await deliveries.test(caller, webhookId);
    const webhook = { organizationId: caller.organizationId, webhookId };
    await context.get(WebhookDeliveryRepository).failPending(webhook, 'no response', 1);
    await queue.drain(true);
    await context.database.transaction(async () => {
      await act(caller, webhookId, id);
      expect(await queue.count()).toBe(0);
    });
    const wakeUp = { organizationId: caller.organizationId };
    await eventually(async () => expect((await queue.getWaiting()).map(({ data }) => data)).toEqual([wakeUp]));
  });

  it('leaves one wake-up of an organization, however many of its webhooks have due deliveries', async () => {
    const caller = testCaller();
    await queue.drain(true);
    for (let n = 0; n < 5; n += 1) {
      const { id: webhookId } = await context.get(WebhookService).create(caller, { url: 'http://127.0.0.1:9/' });
      await deliveries.test(caller, webhookId);
      await deliveries.test(caller, webhookId);
    }
    expect(await queue.getJobCounts('waiting', 'delayed', 'active')).toEqual({ waiting: 1, delayed: 0, active: 0 });
  });
});
