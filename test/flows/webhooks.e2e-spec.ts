import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { Webhook as Verifier } from 'standardwebhooks';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Subscriber } from '../support/subscriber.js';

type Json = Record<string, unknown>;
interface Made {
  readonly id: string;
  readonly secret: string;
}

let platform: Platform;
let subscriber: Subscriber;

const send = async (method: string, path: string, body?: unknown): Promise<Json> => {
  const answer = await call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });
  expect([method, path, answer.status < 300, answer.body]).toEqual([method, path, true, answer.body]);
  return answer.body as Json;
};
const subscribe = async (path: string, fields: Json = {}): Promise<Made> =>
  (await send('POST', '/webhooks', { url: subscriber.url(path), ...fields })) as unknown as Made;
const newExecution = async (fields: Json = {}): Promise<string> =>
  String((await send('POST', '/executions/create', { prompt: 'p', ...fields }))['execution_id']);
const publish = async (executionId: string, event_type: string, data: Json = {}): Promise<string> =>
  String((await send('POST', `/executions/${executionId}/events`, { event_type, data }))['event_id']);
const deliveriesOf = async ({ id }: Made, query = ''): Promise<Json[]> =>
  (await send('GET', `/webhooks/${id}/deliveries${query}`)) as unknown as Json[];

describe('webhooks, from the event to the subscriber', () => {
  beforeAll(async () => {
    subscriber = await Subscriber.start();
    platform = await Platform.start({ env: { WEBHOOK_RETRY_DELAYS: '0,0,0', WEBHOOK_TIMEOUT_MS: '3000' } });
  });

  afterAll(async () => {
    await platform.stop();
    await subscriber.stop();
  });

  it('receive every event of an execution once, signed', async () => {
    const { secret } = await subscribe('/all');
    const executionId = await newExecution();
    const eventId = await publish(executionId, 'tool_started', { tool_name: 'search' });
    await send('PATCH', `/executions/${executionId}`, { status: 'running' });
    await send('PATCH', `/executions/${executionId}`, { status: 'completed', response: 'r' });
    await eventually(() => {
      const types = subscriber.typesAt('/all').filter((type) => type !== 'status');
      expect(types.sort()).toEqual(['done', 'tool_started']);
    });
    const received = subscriber.at('/all').find(({ event }) => event.type === 'tool_started');
    expect(received?.event).toEqual({
      type: 'tool_started',
      timestamp: expect.any(String),
      data: {
        event_id: eventId,
        organization_id: expect.any(String),
        execution_id: executionId,
        job_id: null,
        entity_type: 'agent',
        entity_id: null,
        timestamp: expect.any(String),
        data: { tool_name: 'search' },
      },
    });
    for (const { body, headers } of subscriber.at('/all')) {
      expect(() => new Verifier(secret).verify(body, headers as Record<string, string>)).not.toThrow();
      expect(headers['content-type']).toBe('application/json');
    }
    const statuses = subscriber.at('/all').filter(({ event }) => event.type === 'status');
    expect(statuses.map(({ event }) => String((event.data['data'] as Json)['status'])).sort()).toEqual([
      'completed',
      'running',
    ]);
  });

  it('receive the events of an execution after one whose timestamp is not a text', async () => {
    await subscribe('/odd');
    const executionId = await newExecution();
    for (const timestamp of [{ toString: 0 }, { when: 1 }, 5]) await publish(executionId, 'message', { timestamp });
    await publish(executionId, 'tool_started');
    await send('PATCH', `/executions/${executionId}`, { status: 'running' });
    await send('PATCH', `/executions/${executionId}`, { status: 'completed' });
    await eventually(() => expect(subscriber.typesAt('/odd')).toContain('done'));
    const types = ['done', 'message', 'message', 'message', 'status', 'status', 'tool_started'];
    await eventually(() => expect(subscriber.typesAt('/odd').sort()).toEqual(types));
    for (const { event } of subscriber.at('/odd')) expect(event.data['timestamp']).toMatch(/^\d{4}-.*Z$/);
  });

  it('belong to the trace of the execution', async () => {
    subscriber.on('/traced', (response) => response.writeHead(503).end());
    const webhook = await subscribe('/traced', { events: ['traced'] });
    const executionId = await newExecution();
    await publish(executionId, 'traced');
    await eventually(() => expect(subscriber.at('/traced')).toHaveLength(3));
    const { trace_id } = await send('GET', `/executions/${executionId}`);
    const contexts = subscriber.at('/traced').map(({ headers }) => String(headers['traceparent']).split('-'));
    expect(contexts).toEqual(Array.from({ length: 3 }, () => ['00', trace_id, expect.any(String), '01']));
    await eventually(async () => {
      const spans = (await send('GET', `/traces/${String(trace_id)}/spans?flat=true`)) as unknown as Json[];
      const deliveries = spans.filter(({ attributes }) => (attributes as Json)['platform.webhook.id'] === webhook.id);
      expect(deliveries).toHaveLength(3);
      for (const span of deliveries) {
        expect(span).toMatchObject({ name: 'deliver traced', kind: 'CLIENT', status_message: 'Status 503' });
        expect(contexts.map(([, , spanId]) => spanId)).toContain(span['span_id']);
      }
    });
  });

  it('are signed with both secrets during the overlap of a rotation', async () => {
    const before = await subscribe('/rotated', { events: ['message'] });
    const { secret } = (await send('POST', `/webhooks/${before.id}/rotate`, {})) as unknown as Made;
    await publish(await newExecution(), 'message', { content: 'x' });
    await eventually(() => expect(subscriber.at('/rotated')).toHaveLength(1));
    const { body, headers } = subscriber.at('/rotated')[0] ?? { body: '', headers: {} };
    for (const each of [before.secret, secret]) {
      expect(() => new Verifier(each).verify(body, headers as Record<string, string>)).not.toThrow();
    }
  });

  it('receive only the types, jobs and agents that they follow, and nothing from before', async () => {
    const agent = await send('POST', '/agents', { name: 'a' });
    const job = await send('POST', '/jobs', {
      name: 'j',
      trigger_type: 'manual',
      prompt_template: 'p',
      entity_type: 'agent',
      entity_id: agent['id'],
    });
    const [ofAgent, ofJob, other] = [
      await newExecution({ execution_type: 'agent', entity_id: agent['id'] }),
      await newExecution({ execution_type: 'agent', job_id: job['id'] }),
      await newExecution(),
    ];
    await publish(ofAgent, 'before');
    await subscribe('/by-agent', { agent_ids: [agent['id']] });
    await subscribe('/by-job', { job_ids: [job['id']], events: ['*'] });
    await subscribe('/by-type', { events: ['Own type', 'unknown'] });
    const last = await subscribe('/last', { events: ['after'] });
    for (const executionId of [ofAgent, ofJob, other]) {
      await publish(executionId, 'Own type', { executionId });
      await publish(executionId, 'after', { executionId });
    }
    await eventually(() => expect(subscriber.at('/last')).toHaveLength(3));
    await eventually(() => expect(subscriber.at('/by-type')).toHaveLength(3));
    await eventually(() => expect(subscriber.typesAt('/by-agent').sort()).toEqual(['Own type', 'after']));
    await eventually(() => expect(subscriber.typesAt('/by-job').sort()).toEqual(['Own type', 'after']));
    expect(new Set(subscriber.at('/by-agent').map(({ event }) => event.data['execution_id']))).toEqual(
      new Set([ofAgent]),
    );
    expect(new Set(subscriber.at('/by-job').map(({ event }) => event.data['execution_id']))).toEqual(new Set([ofJob]));
    expect(await deliveriesOf(last)).toHaveLength(3);
  });

  it('fail for hostile subscribers without an effect on others', async () => {
    const megabyte = Buffer.alloc(1_048_576, 'x');
    subscriber.on('/never', () => undefined);
    subscriber.on('/slow', (response) => {
      response.writeHead(200);
      setInterval(() => response.write('.'), 50).unref();
    });
    subscriber.on('/gigabyte', (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (response.write(megabyte));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    });
    subscriber.on('/redirect', (response) => response.writeHead(307, { location: subscriber.url('/target') }).end());
    subscriber.on('/reset', (response) => response.destroy());
    subscriber.on('/error', (response) => response.writeHead(500).end('\0 out of order'));
    const paths = ['/never', '/slow', '/gigabyte', '/redirect', '/reset', '/error', '/good'];
    const webhooks = new Map<string, Made>();
    for (const path of paths) webhooks.set(path, await subscribe(path, { events: ['hostile'] }));
    await publish(await newExecution(), 'hostile');
    await eventually(() => expect(subscriber.at('/good')).toHaveLength(1));
    const expected: Record<string, Json> = {
      '/never': { status: 'failed', attempts: 3, error: 'No complete response within 3000 ms' },
      '/slow': { status: 'failed', attempts: 3, error: 'No complete response within 3000 ms' },
      '/gigabyte': { status: 'failed', attempts: 3, error: 'The response exceeds 65536 bytes' },
      '/redirect': { status: 'failed', response_status: 307, error: 'Status 307: redirects are not followed' },
      '/reset': { status: 'failed', response_status: null, error: 'ECONNRESET' },
      '/error': { status: 'failed', attempts: 3, response_status: 500, error: 'Status 500' },
      '/good': { status: 'delivered', attempts: 1, response_status: 204, error: null },
    };
    for (const [path, fields] of Object.entries(expected)) {
      const webhook = webhooks.get(path) ?? { id: '', secret: '' };
      await eventually(async () => expect([path, await deliveriesOf(webhook)]).toMatchObject([path, [fields]]));
    }
    expect(subscriber.at('/target')).toEqual([]);
    const ids = new Set(subscriber.at('/error').map(({ headers }) => headers['webhook-id']));
    expect([ids.size, subscriber.at('/error').length]).toEqual([1, 3]);
    const [{ id: failed } = { id: '' }] = await deliveriesOf(webhooks.get('/error') ?? { id: '', secret: '' });
    expect(await send('GET', `/webhooks/deliveries/${String(failed)}`)).toMatchObject({
      request_body: subscriber.at('/error')[0]?.body,
      request_headers: { 'webhook-id': failed },
      response_body: '\uFFFD out of order',
    });
  });

  it('are disabled by status 410', async () => {
    subscriber.on('/gone', (response) => response.writeHead(410).end());
    const webhook = await subscribe('/gone', { events: ['any'] });
    await publish(await newExecution(), 'any');
    await eventually(async () => {
      const disabled = { status: 'disabled', disabled_reason: 'The subscriber responded with status 410' };
      expect(await send('GET', `/webhooks/${webhook.id}`)).toMatchObject(disabled);
    });
    await eventually(async () => {
      expect(await deliveriesOf(webhook, '?status=failed')).toMatchObject([{ attempts: 1, response_status: 410 }]);
    });
    const refused = await call('POST', `${platform.url}/api/v1/webhooks/${webhook.id}/test`, {
      key: platform.adminKey,
    });
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'event_subscription_disabled']);
    expect(await send('PATCH', `/webhooks/${webhook.id}`, { status: 'active' })).toMatchObject({
      disabled_reason: null,
    });
  });

  it('can be tested, and failed deliveries can be replayed with the same id', async () => {
    subscriber.on('/replayed', (response) => response.writeHead(503).end());
    const webhook = await subscribe('/replayed', { events: ['any'] });
    const { id: testId } = await send('POST', `/webhooks/${webhook.id}/test`);
    await eventually(async () => {
      expect(await send('GET', `/webhooks/deliveries/${String(testId)}`)).toMatchObject({
        status: 'failed',
        attempts: 1,
      });
    });
    expect(subscriber.typesAt('/replayed')).toEqual(['ping']);
    await publish(await newExecution(), 'any');
    await eventually(async () => expect(await deliveriesOf(webhook, '?status=failed')).toHaveLength(2));
    subscriber.on('/replayed', (response) => response.writeHead(200).end());
    const replayed = await send('POST', `/webhooks/${webhook.id}/replay`, { from: '2026-01-01T00:00:00Z' });
    expect(replayed).toEqual({ replayed: 2 });
    await eventually(async () => expect(await deliveriesOf(webhook, '?status=delivered')).toHaveLength(2));
    expect(new Set(subscriber.at('/replayed').map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    const before = subscriber.at('/replayed').length;
    await send('POST', `/webhooks/deliveries/${String(testId)}/replay`);
    await eventually(() => expect(subscriber.at('/replayed')).toHaveLength(before + 1));
  });

  it('are part of the health of the event bus', async () => {
    const { body } = await call('GET', `${platform.url}/api/health/event-bus`, {});
    expect(body).toMatchObject({ status: 'healthy', providers: { http: { enabled: true, healthy: true } } });
  });
});

describe('webhooks, when the dispatcher dies', () => {
  beforeAll(async () => {
    subscriber = await Subscriber.start();
    platform = await Platform.start({ dispatchers: 1, env: { WEBHOOK_TIMEOUT_MS: '5000' } });
  });

  afterAll(async () => {
    await platform.stop();
    await subscriber.stop();
  });

  it('receive the unfinished deliveries again with the same id, and the events that were published in the meantime', async () => {
    let held = 0;
    subscriber.on('/held', () => (held += 1));
    const webhook = await subscribe('/held');
    const executionId = await newExecution();
    await publish(executionId, 'first');
    await eventually(() => expect(held).toBe(1));
    await platform.dispatchers[0]?.process.kill('SIGKILL');
    await publish(executionId, 'second');
    subscriber.on('/held', (response) => response.writeHead(204).end());
    await platform.startDispatcher();
    await eventually(async () => {
      const delivered = await deliveriesOf(webhook, '?status=delivered');
      expect(delivered.map((delivery) => String(delivery['event_type'])).sort()).toEqual(['first', 'second']);
    });
    const ids = subscriber
      .at('/held')
      .filter(({ event }) => event.type === 'first')
      .map(({ headers }) => headers['webhook-id']);
    expect([new Set(ids).size, ids.length]).toEqual([1, 2]);
  });
});
