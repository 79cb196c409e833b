import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExactNumber } from '@app/kernel';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

const LONG = new ExactNumber('9007199254740993');
/** An object with numbers that doubles do not hold. `JSON.stringify` writes them as they are. */
const NUMBERS = { account: LONG, deep: [{ rate: new ExactNumber('0.12345678901234567891') }], plain: [1, 0.5] };

let platform: Platform;

const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
  call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

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
});
