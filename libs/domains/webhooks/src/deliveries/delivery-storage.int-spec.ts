import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setEnvironment, WebhooksConfig } from '@app/config';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { newDeliveries } from '../testing/new-deliveries.js';
import { WebhookService } from '../webhook.service.js';
import { WebhooksModule } from '../webhooks.module.js';
import { DeliveryStorage } from './delivery-storage.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { DELIVERY_BYTES } from './webhook-delivery.types.js';

const BODY = JSON.stringify({ text: 'x'.repeat(4000) });
/** Room for ten deliveries of one event each. */
const MAX_BYTES = 10 * (DELIVERY_BYTES + BODY.length);

describe('DeliveryStorage', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let deliveries: WebhookDeliveryRepository;
  let storage: DeliveryStorage;

  beforeAll(async () => {
    setEnvironment({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    context = await createTestContext([OpenGateModule, WebhooksModule], { clock });
    deliveries = context.get(WebhookDeliveryRepository);
    const config = { ...context.get(WebhooksConfig), maxStoredBytes: MAX_BYTES } as WebhooksConfig;
    storage = new DeliveryStorage(deliveries, config, clock);
  });

  afterAll(() => context.close());

  const subscribe = async (caller: Caller): Promise<string> =>
    (await context.get(WebhookService).create(caller, { url: 'http://127.0.0.1:9/' })).id;
  /** Stores one event after the other. */
  const store = async ({ organizationId }: Caller, webhookIds: string[], from: number, to: number) => {
    for (let n = from; n < to; n += 1) {
      clock.advance(1);
      await storage.store(newDeliveries(organizationId, webhookIds, [`event-${n}`], BODY), clock.now(), clock.now());
    }
  };
  const logOf = async ({ organizationId }: Caller, webhookId: string) =>
    (await deliveries.list({ organizationId, webhookId }, {}, { skip: 0, limit: 100 })).items.toReversed();

  it('lists the events beyond the limit of an organization as failed, and stores those of others', async () => {
    const [hostile, victim] = [testCaller(), testCaller()];
    const [own, other] = [await subscribe(hostile), await subscribe(victim)];
    await store(hostile, [own], 0, 15);
    await store(victim, [other], 0, 5);
    const log = await logOf(hostile, own);
    expect(log.map(({ event_id }) => event_id)).toEqual(Array.from({ length: 15 }, (_event, n) => `event-${n}`));
    expect(log.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 10 }, () => 'pending'),
      ...Array.from({ length: 5 }, () => 'failed'),
    ]);
    expect(log.at(-1)?.error).toBe(`Not stored: the pending deliveries of the organization use up ${MAX_BYTES} bytes`);
    expect((await deliveries.find(hostile, log.at(-1)?.id ?? ''))?.body).toBeNull();
    expect(await deliveries.storedBytes(hostile)).toBe(MAX_BYTES);
    expect((await logOf(victim, other)).map(({ status }) => status)).toEqual(
      Array.from({ length: 5 }, () => 'pending'),
    );
    // A refused event is not delivered later, and remains in the log.
    await store(hostile, [own], 14, 15);
    expect(await logOf(hostile, own)).toEqual(log);
  });

  it('deletes the oldest deliveries that have ended, with their events, for new ones', async () => {
    const caller = testCaller();
    const id = await subscribe(caller);
    await store(caller, [id], 0, 10);
    await deliveries.failPending({ organizationId: caller.organizationId, webhookId: id }, 'no answer', 10);
    await store(caller, [id], 10, 14);
    const log = await logOf(caller, id);
    expect(log.filter(({ status }) => status === 'pending').map(({ event_id }) => event_id)).toEqual(
      [10, 11, 12, 13].map((n) => `event-${n}`),
    );
    expect(log.filter(({ error }) => error?.startsWith('Not stored') === true)).toEqual([]);
    expect(await deliveries.storedBytes(caller)).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('stores new events after the webhooks whose deliveries used up the limit were deleted', async () => {
    const caller = testCaller();
    const id = await subscribe(caller);
    await store(caller, [id], 0, 12);
    await context.get(WebhookService).delete(caller, id);
    expect(await deliveries.storedBytes(caller)).toBe(10 * BODY.length);
    const next = await subscribe(caller);
    await store(caller, [next], 20, 30);
    expect((await logOf(caller, next)).map(({ status }) => status)).toEqual(
      Array.from({ length: 10 }, () => 'pending'),
    );
    expect(await deliveries.storedBytes(caller)).toBeLessThanOrEqual(MAX_BYTES);
  });
});
