import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compile } from '@app/rego';
import { FakeOpaServer } from '@app/testing';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

type Json = Record<string, unknown>;

describe('a platform with OPA', () => {
  let opa: FakeOpaServer;
  let platform: Platform;
  let user: Scenario;
  let queueId: string;

  beforeAll(async () => {
    opa = await FakeOpaServer.start(compile);
    // Limits that are not exceeded even on a busy machine.
    const patience = { POLICY_MAX_MS: '10000', POLICY_MAX_TOTAL_MS: '60000' };
    platform = await Platform.start({ env: { OPA_URL: opa.url, OPA_TOKEN: 'token-of-opa', ...patience } });
    user = new Scenario(platform);
    queueId = await user.newQueue('asked-opa');
  });

  afterAll(async () => {
    await platform.stop();
    await opa.stop();
  });

  async function post(path: string, body: object): Promise<Json> {
    const answer = await call('POST', `${platform.url}/api/v1/${path}`, { key: platform.adminKey, body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Json;
  }

  async function guardedAgent(policy_content: string): Promise<string> {
    const agentId = await user.newAgent();
    const policy = await post('policies', { name: 'guard', policy_content });
    await post('policies/associations', { policy_id: policy['id'], entity_type: 'agent', entity_id: agentId });
    return agentId;
  }

  it('starts executions that OPA allows, and sends evaluations to OPA as well', async () => {
    const agentId = await guardedAgent('package guard\n\nallow if input.action == "execute"');
    expect(await user.execution(await user.execute(agentId, 'go', queueId))).toMatchObject({ status: 'pending' });
    expect(opa.authorization).toBe('Bearer token-of-opa');
    expect(opa.moduleIds).toHaveLength(1);
    opa.deleteAll();
    const input_data = { action: 'execute' };
    expect(await post(`policies/evaluate/agent/${agentId}`, { input_data })).toMatchObject({ allowed: true });
    expect(await post(`policies/evaluate/agent/${agentId}`, {})).toMatchObject({ allowed: false, violations: [] });
  });

  it('fails executions that OPA denies, and all with a policy while OPA is unreachable', async () => {
    const agentId = await guardedAgent('package guard\n\ndeny contains "not today" if input.action == "execute"');
    const denied = await user.execution(await user.execute(agentId, 'go', queueId));
    expect(denied).toMatchObject({ status: 'failed', error_message: expect.stringContaining('not today') });
    opa.respondWith = (response) => response.destroy();
    const allowing = await guardedAgent('package guard\n\nallow := true');
    const unasked = await user.execution(await user.execute(allowing, 'go', queueId));
    expect(unasked).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('the request to OPA failed'),
    });
    opa.respondWith = undefined;
    expect(await user.execution(await user.execute(allowing, 'go', queueId))).toMatchObject({ status: 'pending' });
  });
});
