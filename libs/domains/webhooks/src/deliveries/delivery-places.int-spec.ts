import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setEnvironment } from '@app/config';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { createTestContext, eventually, statementsOf, testCaller, type TestContext } from '@app/testing';
import { getQueueToken } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { newDeliveries } from '../testing/new-deliveries.js';
import { WebhooksHandlersModule } from '../webhooks.handlers.module.js';
import { WebhookService } from '../webhook.service.js';
import type { Webhook } from '../webhook.types.js';
import { DeliveryQueue, WEBHOOK_DELIVERIES } from './delivery-queue.js';
import { NewDeliveries } from './new-deliveries.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';

/** Webhooks of an organization that are served at the same time, and requests to each of them. */
const PLACES = 8;
const REQUESTS = 8;

describe('the places of a process', () => {
  let context: TestContext;
  let queue: Queue;
  let deliveries: WebhookDeliveryRepository;
  let server: Server;
  /** Responses to the host that does not answer, by path. */
  let held: Map<string, ServerResponse[]>;
  let answered: string[];

  beforeAll(async () => {
    setEnvironment({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', WEBHOOK_TIMEOUT_MS: '60000' });
    [held, answered] = [new Map(), []];
    server = createServer((request, response) => {
      const path = request.url ?? '';
      if (path.startsWith('/never')) held.set(path, [...(held.get(path) ?? []), response]);
      else response.end(() => answered.push(path));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    context = await createTestContext([OpenGateModule, WebhooksHandlersModule]);
    deliveries = context.get(WebhookDeliveryRepository);
    queue = context.app.get<Queue>(getQueueToken(WEBHOOK_DELIVERIES), { strict: false });
  });

  afterAll(async () => {
    server.closeAllConnections();
    await context.close();
    server.close();
  });

  const subscribe = async (caller: Caller, path: string): Promise<Webhook> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    return context.get(WebhookService).create(caller, { url });
  };
  const wake = async ({ organizationId }: Caller): Promise<void> => context.get(DeliveryQueue).wake(organizationId);
  const due = async ({ organizationId }: Caller, webhooks: readonly string[], events: readonly string[]) => {
    await deliveries.insertMissing(newDeliveries(organizationId, webhooks, events), new Date(), new Date());
  };
  const heldRequests = (): number => [...held.values()].flat().length;
  const noWakeUps = { waiting: 0, delayed: 0, active: 0 };

  it('keep no wake-up of webhooks that wait for a host that never answers, and serve other organizations', async () => {
    const [hostile, victim] = [testCaller(), testCaller()];
    const names = Array.from({ length: 3 * PLACES }, (_name, n) => `/never/${n}`);
    const webhooks: string[] = [];
    for (const name of names) webhooks.push((await subscribe(hostile, name)).id);
    const events = Array.from({ length: 2 * REQUESTS }, (_event, n) => `event-${n}`);
    await due(hostile, webhooks, events);
    for (let n = 0; n < 50; n += 1) await wake(hostile);
    await eventually(() => expect(heldRequests()).toBe(PLACES * REQUESTS));
    await eventually(async () => expect(await queue.getJobCounts('waiting', 'delayed', 'active')).toEqual(noWakeUps));

    const { id } = await subscribe(victim, '/victim');
    await due(victim, [id], ['e']);
    await wake(victim);
    await eventually(() => expect(answered).toEqual(['/victim']));
    expect(heldRequests()).toBe(PLACES * REQUESTS);

    // A webhook that waits is served when a place becomes free, without a wake-up.
    const [first = ''] = held.keys();
    for (const response of held.get(first) ?? []) response.writeHead(410).end();
    await eventually(() => expect(held.size).toBe(PLACES + 1));

    for (const each of webhooks) await context.get(WebhookService).delete(hostile, each);
    const served = heldRequests();
    for (const response of [...held.values()].flat()) response.end();
    const page = { skip: 0, limit: 1 };
    await due(victim, [id], ['last']);
    await wake(victim);
    await eventually(async () => {
      const ref = { organizationId: victim.organizationId, webhookId: id };
      expect(await deliveries.list(ref, { status: 'delivered' }, page)).toMatchObject({ total: 2 });
    });
    expect(heldRequests()).toBe(served);
    await eventually(async () => expect(await queue.getJobCounts('waiting', 'delayed', 'active')).toEqual(noWakeUps));
  });

  it('store a page of events for all webhooks with one statement', async () => {
    const caller = testCaller();
    const webhooks: Webhook[] = [];
    for (let n = 0; n < 20; n += 1) webhooks.push(await subscribe(caller, `/page/${n}`));
    const event = { data: {}, json: '{}', timestamp: '2026-01-01T00:00:00Z', logged_at: new Date() };
    const followed = ['first', 'second'].map((id) => ({ ...event, id, type: 'x' }));
    const source = {
      ...{ organization_id: caller.organizationId, execution_id: 'e' },
      ...{ job_id: null, entity_type: null, entity_id: null },
    };
    const followings = webhooks.map((webhook) => ({ webhook, followed }));
    const statements = await statementsOf(() => context.get(NewDeliveries).store(followings, source));
    expect(statements.filter((name) => name === 'webhook_deliveries.insert')).toHaveLength(1);
    await eventually(() => expect(answered.filter((path) => path.startsWith('/page/'))).toHaveLength(40));
    expect(new Set(answered.filter((path) => path.startsWith('/page/'))).size).toBe(20);
  });
});
