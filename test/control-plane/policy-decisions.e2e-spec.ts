import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { PlatformApi } from '../platform-api/platform-api.js';
import { Scenario } from '../support/scenario.js';
type Json = Record<string, unknown>;

describe('the decision log over HTTP', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown, key = platform.adminKey): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key, body });

  async function sendOk(method: string, path: string, body?: unknown): Promise<Json> {
    const response = await send(method, path, body);
    if (response.status >= 300)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body as Json;
  }

  /** Creates a policy and associates it with the agent. */
  async function guard(agentId: string, policy_content: string): Promise<string> {
    const policyId = String((await sendOk('POST', '/policies', { name: 'guard', policy_content }))['id']);
    const association = { policy_id: policyId, entity_type: 'agent', entity_id: agentId };
    await sendOk('POST', '/policies/associations', association);
    return policyId;
  }

  const evaluate = (entity: string, body: Json = {}): Promise<Json> =>
    sendOk('POST', `/policies/evaluate/${entity}`, body);

  const decisionsOf = async (query: string): Promise<Json[]> =>
    (await sendOk('GET', `/policies/decisions?${query}`)) as unknown as Json[];

  it('stores decisions, lists them by filters, and replays them after the policy was deleted', async () => {
    const agentId = await user.newAgent();
    const policyId = await guard(
      agentId,
      'package g\n\nallow if input.n > 1\n\nviolations contains sprintf("%d", [time.now_ns()]) if input.clock',
    );
    const input = { n: 2, a: ['ä', null], clock: true };
    const said = await evaluate(`agent/${agentId}`, { input_data: input });
    await evaluate(`agent/${agentId}`, { input: { n: 2 } });
    const [allowed, denied] = await decisionsOf(`entity_type=agent&entity_id=${agentId}`);
    expect([allowed?.['allowed'], denied?.['allowed']]).toEqual([true, false]);
    expect(denied).not.toHaveProperty('input');
    expect(await decisionsOf(`policy_id=${policyId}&allowed=false`)).toEqual([denied]);
    expect(await decisionsOf(`policy_id=${policyId}&skip=1`)).toEqual([denied]);
    expect(await decisionsOf(`policy_id=${policyId}&to=${denied?.['at']}`)).toEqual([]);
    expect(await decisionsOf(`policy_id=${policyId}&from=${denied?.['at']}&limit=1`)).toEqual([allowed]);
    const full = await sendOk('GET', `/policies/decisions/${denied?.['id']}`);
    expect(full).toEqual({ ...denied, input });
    const canonical = '{"a":["ä",null],"clock":true,"n":2}';
    expect(full['input_digest']).toBe(createHash('sha256').update(canonical).digest('hex'));
    await sendOk('PUT', `/policies/${policyId}`, { policy_content: 'package g' });
    await sendOk('DELETE', `/policies/${policyId}`);
    for (const decision of [allowed, denied]) {
      const replay = await sendOk('POST', `/policies/decisions/${decision?.['id']}/replay`);
      expect(replay).toMatchObject({ same: true, recorded: decision });
      expect((replay['replayed'] as Json)['violations']).toEqual(decision?.['violations']);
    }
    expect(denied?.['violations']).toEqual(said['violations']);
    const other = await send('POST', `/policies/decisions/${denied?.['id']}/replay`, { input: { n: 1 } });
    expect(other.status).toBe(409);
  });

  it('shows the input of an execution only to keys that can read executions', async () => {
    const agentId = await user.newAgent();
    await guard(agentId, 'package g\n\nallow := true');
    const id = await user.execute(agentId, 'A secret prompt');
    await evaluate(`agent/${agentId}`, { input: { open: true } });
    const [evaluation, execution] = await decisionsOf(`entity_id=${agentId}`);
    const make = new PlatformApi(platform);
    const reader = (await make.withScopes('agents:read')).key;
    const both = (await make.withScopes('agents:read', 'tasks:read')).key;
    const inputOf = async (decision: Json | undefined, key: string): Promise<unknown> => {
      const { status, body } = await send('GET', `/policies/decisions/${decision?.['id']}`, undefined, key);
      expect({ status, body }).toEqual({ status: 200, body: { ...decision, input: (body as Json)['input'] } });
      return (body as Json)['input'];
    };
    expect(await inputOf(execution, reader)).toBeNull();
    expect(await inputOf(execution, both)).toMatchObject({ execution: { id, prompt: 'A secret prompt' } });
    expect(await inputOf(evaluation, reader)).toEqual({ open: true });
    const responses = [
      await send('GET', `/policies/decisions?entity_id=${agentId}`, undefined, reader),
      await send('POST', `/policies/decisions/${execution?.['id']}/replay`, {}, reader),
    ];
    expect(responses[1]).toMatchObject({ status: 200, body: { same: true } });
    for (const { body } of responses) expect(JSON.stringify(body)).not.toMatch(/secret prompt|"input":/);
  });

  it('rejects invalid filters with all faults at once', async () => {
    const { status, body } = await send('GET', '/policies/decisions?entity_type=job&allowed=maybe&from=now&limit=0');
    expect(status).toBe(422);
    const { detail } = body as { detail: { loc: string[] }[] };
    expect(detail.map(({ loc }) => loc.join('.')).sort()).toEqual([
      'query.allowed',
      'query.entity_type',
      'query.from',
      'query.limit',
    ]);
  });
});
