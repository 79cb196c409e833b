import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

const CONTENT = `package guard

limit := 10

tenfold(x) := x * 10

violations contains "too much" if input.amount > limit`;

describe('the text of a policy that is not stored', () => {
  let platform: Platform;
  let key: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    key = (await platform.createOrganization('drafting')).adminKey;
  });
  afterAll(() => platform.stop());

  const post = (path: string, body: object, as = key): Promise<HttpResponse> =>
    call('POST', `${platform.url}/api/v1/policies${path}`, { key: as, body });

  it('is compiled, evaluated once, and explained by the value of its package', async () => {
    const input_data = { amount: 12345678901234567890123n.toString() };
    const without = await post('/validate', { policy_content: CONTENT });
    expect(without).toMatchObject({
      status: 200,
      body: { valid: true, errors: [], warnings: [], result: null, output: null, duration_ms: null },
    });
    const evaluated = await post('/validate', { policy_content: CONTENT, input_data: { amount: 11 }, explain: true });
    expect(evaluated.body).toMatchObject({
      valid: true,
      result: { allowed: false, violations: ['too much'] },
      output: { limit: 10, violations: ['too much'] },
      duration_ms: expect.any(Number),
    });
    const unexplained = await post('/validate', { policy_content: CONTENT, input_data });
    expect(unexplained.body).toMatchObject({ result: { allowed: false }, output: null });
  });

  it('has its faults by line and column, and no output that is too long or fails', async () => {
    const faulty = await post('/validate', {
      policy_content: 'package p\n\nallow if x',
      input_data: {},
      explain: true,
    });
    expect(faulty).toMatchObject({
      status: 200,
      body: { valid: false, errors: [{ line: 3, column: 10 }], result: null, output: null },
    });
    const long = 'package p\n\nallow := true\n\ntext := [i | some i in numbers.range(1, 20000)]';
    const conflicting = 'package p\n\nallow := true\n\nvalue := 1 if input\n\nvalue := 2 if input';
    for (const policy_content of [long, conflicting]) {
      const { body } = await post('/validate', { policy_content, input_data: {}, explain: true });
      expect(body).toMatchObject({ valid: true, result: { allowed: true }, output: null });
    }
  });

  it('is formatted, or rejected at its faults', async () => {
    const messy = 'package   p\n\n\n\nallow   if   input.x==1   # why\n';
    const formatted = await post('/format', { policy_content: messy });
    expect(formatted).toMatchObject({
      status: 200,
      body: { policy_content: 'package p\n\nallow if input.x == 1 # why\n' },
    });
    const rejected = await post('/format', { policy_content: 'package p\n\nallow if (' });
    expect(rejected).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'policy_content'] }] } });
  });

  it('is tried on the recorded decisions of the own organization', async () => {
    const created = await call('POST', `${platform.url}/api/v1/agents`, { key, body: { name: 'spender' } });
    const { id: entity_id } = created.body as { id: string };
    for (const amount of [1, 100]) await post(`/evaluate/agent/${entity_id}`, { input_data: { amount } });
    const tried = await post('/backtest', { policy_content: CONTENT });
    expect(tried).toMatchObject({
      status: 200,
      body: {
        ...{ tried: 2, same: 1, newly_denied: 1, newly_allowed: 0, failed: 0, skipped: 0, stopped_by: null },
        changes: [
          {
            ...{ entity_type: 'agent', entity_id, entity_name: 'spender', execution_id: null },
            before: { allowed: true, violations: [] },
            after: { allowed: false, violations: ['too much'] },
          },
        ],
      },
    });
    const { adminKey: other } = await platform.createOrganization('others');
    expect((await post('/backtest', { policy_content: CONTENT }, other)).body).toMatchObject({ tried: 0 });
    const faulty = await post('/backtest', { policy_content: 'package p\n\nallow if x', limit: 501 });
    expect(faulty).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'limit'] }] } });
    const uncompiled = await post('/backtest', { policy_content: 'package p\n\nallow if x' });
    expect(uncompiled).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'policy_content'] }] } });
  });

  it('is tried only for keys that may read the inputs of executions', async () => {
    const admin = new PlatformApi(platform);
    const { key: reader } = await admin.withScopes('agents:read');
    const { key: both } = await admin.withScopes('agents:read', 'tasks:read');
    const body = { policy_content: CONTENT };
    expect(await post('/backtest', body, reader)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('tasks:read') },
    });
    expect((await post('/backtest', body, both)).status).toBe(200);
    expect((await post('/validate', body, reader)).status).toBe(200);
  });
});

describe('the reach of a policy', () => {
  it('names associations and agents', async () => {
    const platform = await Platform.shared();
    const key = platform.adminKey;
    const send = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
      const answer = await call(method, `${platform.url}/api/v1${path}`, {
        key,
        ...(body === undefined ? {} : { body }),
      });
      return answer.body as Record<string, unknown>;
    };
    const { id: agentId } = await send('POST', '/agents', { name: 'reached' });
    const { id: policyId } = await send('POST', '/policies', { name: 'reaching', policy_content: CONTENT });
    const association = { policy_id: policyId, entity_type: 'agent', entity_id: agentId };
    await send('POST', '/policies/associations', association);
    expect(await send('GET', `/policies/${String(policyId)}/reach`)).toMatchObject({
      associations: [{ ...association, entity_name: 'reached', enabled: true }],
      agents: {
        total: 1,
        items: [
          { id: agentId, name: 'reached', via: [{ entity_type: 'agent', entity_id: agentId, entity_name: 'reached' }] },
        ],
      },
      last_24h: { decisions: 0, denied: 0 },
    });
    await platform.stop();
  });
});
