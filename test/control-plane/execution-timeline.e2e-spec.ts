import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

type Json = Record<string, unknown>;

describe('the timeline of an execution over HTTP', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown, headers = {}): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body, headers });

  const json = async (method: string, path: string, body?: unknown, headers = {}): Promise<Json> =>
    (await send(method, path, body, headers)).body as Json;

  it('contains attempts with their worker and status changes with their actor', async () => {
    const queueId = await user.newQueue('timed');
    const agentId = await user.newAgent({ name: 'writer' });
    const policy_content = 'package guard\n\nallow if input.action == "execute"';
    const { id: policy_id } = await json('POST', '/policies', { name: 'guard', policy_content });
    await json('POST', '/policies/associations', { policy_id, entity_type: 'agent', entity_id: agentId });
    const id = await user.execute(agentId, 'Write', queueId);
    const worker = await json('POST', `/worker-queues/${queueId}/start`, { hostname: 'host-1' });
    const workerId = String(worker['worker_id']);
    const [lease] = (await send('POST', `/workers/${workerId}/poll`, { wait_seconds: 20 })).body as Json[];
    const token = { 'X-Lease-Token': String(lease?.['lease_token']) };
    await json('PATCH', `/executions/${id}`, { status: 'running' }, token);
    await json('POST', `/executions/${id}/pause`);
    await json('PATCH', `/executions/${id}`, { status: 'failed', error_message: 'Out of tokens' }, token);
    const { user_id, user_name } = await json('GET', `/executions/${id}`);
    const [decision] = (await json('GET', `/policies/decisions?execution_id=${id}`)) as unknown as Json[];
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const byUser = { kind: 'user', id: user_id, name: user_name };
    const byWorker = { kind: 'worker', id: workerId, name: 'host-1' };
    expect(await json('GET', `/executions/${id}/timeline`)).toEqual({
      execution_id: id,
      status: 'failed',
      job_id: null,
      worker_queue_id: queueId,
      waits_for_execution_id: null,
      queue_name: 'timed',
      parent_execution_id: null,
      children: 0,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      policy_decision_id: decision?.['id'],
      attempts: [
        {
          attempt: 1,
          queued_at: time,
          leased_at: time,
          started_at: time,
          ended_at: time,
          worker_id: workerId,
          worker_hostname: 'host-1',
          outcome: 'failed',
          error_message: 'Out of tokens',
        },
      ],
      transitions: [
        { at: time, from: null, to: 'pending', attempt: 1, actor: byUser, reason: 'api' },
        { at: time, from: 'pending', to: 'running', attempt: 1, actor: byWorker, reason: null },
        { at: time, from: 'running', to: 'paused', attempt: 1, actor: byUser, reason: null },
        { at: time, from: 'paused', to: 'failed', attempt: 1, actor: byWorker, reason: 'Out of tokens' },
      ],
    });
    expect((await send('GET', '/executions/missing/timeline')).status).toBe(404);
  });
});
