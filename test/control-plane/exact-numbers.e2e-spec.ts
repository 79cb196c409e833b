import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExactNumber } from '@app/kernel';
import { createHmac } from 'node:crypto';
import { eventually } from '@app/testing';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Subscriber } from '../support/subscriber.js';

type Json = Record<string, unknown>;

const LONG = new ExactNumber('9007199254740993');
/** An object with numbers that doubles do not hold. `JSON.stringify` writes them as they are. */
const NUMBERS = { account: LONG, deep: [{ rate: new ExactNumber('0.12345678901234567891') }], plain: [1, 0.5] };

let platform: Platform;

const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
  call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body, exactNumbers: true });

async function sendOk(method: string, path: string, body?: unknown): Promise<Json> {
  const response = await send(method, path, body);
  expect([method, path, response.status < 300, response.body]).toEqual([method, path, true, response.body]);
  return response.body as Json;
}

const newAgent = async (fields: Json = {}): Promise<string> =>
  String((await sendOk('POST', '/agents', { name: 'agent', ...fields }))['id']);

describe('numbers that doubles do not hold', () => {
  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  it('are what policies decide on, and what is recorded and replayed', async () => {
    const agentId = await newAgent();
    const policy_content = [
      'package g',
      'deny contains sprintf("blocked %d", [input.account]) if input.account == 9007199254740992',
      'deny contains {"rate": input.rate} if input.rate > 0.12345678901234567890',
    ].join('\n');
    const policy = await sendOk('POST', '/policies', { name: 'guard', policy_content });
    await sendOk('POST', '/policies/associations', {
      ...{ policy_id: policy['id'], entity_type: 'agent', entity_id: agentId },
    });
    const evaluate = (input: Json): Promise<Json> => sendOk('POST', `/policies/evaluate/agent/${agentId}`, { input });
    expect(await evaluate({ account: LONG })).toMatchObject({ allowed: true, violations: [] });
    expect(await evaluate({ account: 9007199254740992 })).toMatchObject({ violations: ['blocked 9007199254740992'] });
    const rate = new ExactNumber('0.12345678901234567891');
    expect(await evaluate({ rate })).toMatchObject({ violations: [`{"rate":${rate}}`] });
    const decisions = (await sendOk('GET', `/policies/decisions?entity_id=${agentId}`)) as unknown as Json[];
    const inputs = [{ rate }, { account: 9007199254740992 }, { account: LONG }];
    for (const [index, decision] of decisions.entries()) {
      expect(await sendOk('GET', `/policies/decisions/${decision['id']}`)).toMatchObject({ input: inputs[index] });
      expect(await sendOk('POST', `/policies/decisions/${decision['id']}/replay`)).toMatchObject({ same: true });
    }
    expect(new Set(decisions.map(({ input_digest }) => input_digest)).size).toBe(3);
    const other = { input: { account: 9007199254740992 } };
    expect(await send('POST', `/policies/decisions/${decisions[2]?.['id']}/replay`, other)).toMatchObject({
      status: 409,
    });
  });

  it('come back from resources, also in lists and in the replay of a request', async () => {
    const fields = { name: 'exact', configuration: NUMBERS, capabilities: ['a'] };
    const headers = { 'Idempotency-Key': 'exact' };
    const create = (): Promise<HttpResponse> =>
      call('POST', `${platform.url}/api/v1/agents`, {
        key: platform.adminKey,
        body: fields,
        headers,
        exactNumbers: true,
      });
    const [created, again] = [await create(), await create()];
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const { status, body } of [created, again]) {
      expect({ status, body }).toMatchObject({ status: 201, body: { configuration: NUMBERS } });
    }
    const { id } = created.body as { readonly id: string };
    expect(await sendOk('GET', `/agents/${id}`)).toMatchObject({ configuration: NUMBERS });
    const listed = (await sendOk('GET', '/agents')) as unknown as Json[];
    expect(listed.find((agent) => agent['id'] === id)).toMatchObject({ configuration: NUMBERS });
    expect(await sendOk('PATCH', `/agents/${id}`, { configuration: { NUMBERS } })).toMatchObject({
      configuration: { NUMBERS },
    });
  });

  it('come back from executions: metadata, usage, and events in the stream and at subscribers', async () => {
    const subscriber = await Subscriber.start();
    try {
      await sendOk('POST', '/webhooks', { url: subscriber.url('/exact') });
      const created = await sendOk('POST', '/executions/create', { prompt: 'p', execution_metadata: NUMBERS });
      const path = `/executions/${String(created['execution_id'])}`;
      expect(await sendOk('GET', path)).toMatchObject({ execution_metadata: NUMBERS });
      for (const event_type of ['tool_started', 'message']) {
        await sendOk('POST', `${path}/events`, { event_type, data: NUMBERS });
      }
      const usage = { model: 'm', total_tokens: 12, ...NUMBERS };
      const ended = { status: 'completed', usage, execution_metadata: { NUMBERS } };
      expect(await sendOk('PATCH', path, ended)).toMatchObject({ usage, execution_metadata: { NUMBERS } });
      const stream = await fetch(`${platform.url}/api/v1${path}/stream`, {
        headers: { Authorization: `Bearer ${platform.adminKey}` },
      });
      const numbers = JSON.stringify(NUMBERS).slice(1, -1);
      expect(numbers).toContain(LONG.text);
      const frames = await stream.text();
      for (const type of ['tool_started', 'message']) {
        expect(frames.split('\n\n').find((frame) => frame.includes(`event: ${type}\n`))).toContain(numbers);
      }
      await eventually(() => {
        const delivered = subscriber.at('/exact').filter(({ event }) => event.type !== 'status');
        const texts = delivered.map(({ event, body }) => [event.type, body.includes(numbers)]);
        expect(Object.fromEntries(texts)).toMatchObject({ tool_started: true, message: true });
      });
    } finally {
      await subscriber.stop();
    }
  });

  it('reach the prompt of a job from its webhook', async () => {
    const agentId = await newAgent();
    const template = 'Order {{ ref }} at {{ items.rate }}: {{ items }}';
    const job = await sendOk('POST', '/jobs', {
      ...{ name: 'order', trigger_type: 'webhook', prompt_template: template },
      ...{ entity_type: 'agent', entity_id: agentId },
    });
    const raw = '{"ref": 8202522731445525542, "items": {"rate": 0.12345678901234567891, "n": 1.50}}';
    const signature = createHmac('sha256', String(job['webhook_secret'])).update(raw).digest('hex');
    const headers = { 'X-Webhook-Signature': signature };
    const started = await call('POST', String(job['webhook_url']), { raw, headers });
    expect(started.status).toBe(200);
    const { execution_id: id } = started.body as Json;
    expect(await sendOk('GET', `/executions/${String(id)}`)).toMatchObject({
      prompt: 'Order 8202522731445525542 at 0.12345678901234567891: {"rate":0.12345678901234567891,"n":1.5}',
    });
  });

  it('come back from the platform API, and reach the prompt of a task', async () => {
    const api = new PlatformApi(platform);
    const sendToPlatform = async (method: string, path: string, body?: unknown): Promise<Json> => {
      const answer = await api.call(method, `/api/v1${path}`, body, { exactNumbers: true });
      expect(answer.status).toBe(method === 'POST' ? 201 : 200);
      return answer.body as Json;
    };
    const agent_id = await newAgent();
    const task = await sendToPlatform('POST', '/tasks', { name: 'task', agent_id, parameters: NUMBERS });
    expect(task).toMatchObject({ parameters: NUMBERS });
    expect(await sendToPlatform('GET', `/tasks/${String(task['id'])}`)).toMatchObject({ parameters: NUMBERS });
    const { prompt } = await sendOk('GET', `/executions/${String(task['execution_id'])}`);
    expect(prompt).toContain(`"account":${LONG}`);
    const workflow = { name: 'exact', steps: [], configuration: NUMBERS };
    expect(await sendToPlatform('POST', '/workflows', workflow)).toMatchObject({ configuration: NUMBERS });
    expect(await sendToPlatform('GET', '/workflows/exact')).toMatchObject({ configuration: NUMBERS });
  });

  it('are faults of fields that are numbers, and of all fields beyond the range of doubles', async () => {
    const agentId = await newAgent();
    const faultOf = async (method: string, path: string, raw: string): Promise<unknown> => {
      const { status, body } = await call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, raw });
      expect(status).toBe(422);
      return ((body as Json)['detail'] as Json[]).map(({ loc, type }) => [loc, type]);
    };
    expect(
      await faultOf('POST', '/models', `{"value": "m", "label": "M", "provider": "p", "display_order": ${LONG}}`),
    ).toEqual([[['body', 'display_order'], 'value_error']]);
    const job = { name: 'j', trigger_type: 'manual', prompt_template: 'p', entity_type: 'agent', entity_id: agentId };
    const timed = { ...job, config: { timeout_seconds: new ExactNumber('10.000000000000000001') } };
    expect(await faultOf('POST', '/jobs', JSON.stringify(timed))).toEqual([
      [['body', 'config', 'timeout_seconds'], 'value_error'],
    ]);
    expect(await faultOf('PATCH', `/agents/${agentId}`, '{"configuration": {"a": 1e400}}')).toEqual([
      [['body', 'configuration', 'a'], 'value_error'],
    ]);
  });
});
