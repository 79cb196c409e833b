import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { PlatformApi } from '../platform-api/platform-api.js';

type Json = Record<string, unknown>;

const LACKING = 'No live worker of the worker queue plain has the runtime acme_code; they have: default';

describe('starts on a queue whose live workers lack the runtime', () => {
  let platform: Platform;
  let agentId: string;

  const send = async (method: string, path: string, body?: unknown): Promise<Json> =>
    (await call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body })).body as Json;

  const create = async (path: string, body: Json): Promise<string> => String((await send('POST', path, body))['id']);

  async function newQueue(name: string, ...workers: Json[]): Promise<string> {
    const id = await create('/environments/default/worker-queues', { name });
    for (const worker of workers) await send('POST', `/worker-queues/${id}/start`, worker);
    return id;
  }

  const newJob = (fields: Json): Promise<Json> =>
    send('POST', '/jobs', {
      name: 'j',
      planning_mode: 'predefined_agent',
      entity_id: agentId,
      prompt_template: 'Go',
      executor_type: 'specific_queue',
      worker_queue_name: 'plain',
      trigger_type: 'manual',
      ...fields,
    });

  beforeAll(async () => {
    platform = await Platform.shared();
    agentId = await create('/agents', { name: 'coder', runtime: 'acme_code' });
    await newQueue('plain', { runtimes: ['default'] }, { runtimes: ['default'] });
  });

  afterAll(() => platform.stop());

  it('fail for an agent, and for a team whose leader needs the runtime', async () => {
    const teamId = await create('/teams', { name: 'crew', runtime: 'acme_code' });
    for (const path of [`/agents/${agentId}`, `/teams/${teamId}`]) {
      const started = await send('POST', `${path}/execute`, { prompt: 'Go', worker_queue_id: 'plain' });
      expect(started).toMatchObject({ status: 'failed', message: LACKING });
      const execution = await send('GET', `/executions/${String(started['execution_id'])}`);
      expect(execution).toMatchObject({ status: 'failed', error_message: LACKING });
    }
  });

  it('fail for jobs, triggered by hand or by their webhook, and for tasks', async () => {
    const manual = await newJob({});
    expect(await send('POST', `/jobs/${String(manual['id'])}/trigger`)).toMatchObject({
      status: 'failed',
      message: `Execution failed: ${LACKING}`,
    });
    const hooked = await newJob({ trigger_type: 'webhook' });
    const signature = createHmac('sha256', String(hooked['webhook_secret'])).update('{}').digest('hex');
    const headers = { 'X-Webhook-Signature': signature };
    const hook = await call('POST', String(hooked['webhook_url']), { raw: '{}', headers });
    expect(hook.body).toMatchObject({ status: 'failed', message: `Execution failed: ${LACKING}` });
    await send('POST', '/workers/register', { runtimes: ['default'] });
    const tasks = new PlatformApi(platform);
    const task = (await tasks.expect(201, 'POST', '/api/v1/tasks', { name: 'Go', agent_id: agentId })) as Json;
    const execution = await send('GET', `/executions/${String(task['execution_id'])}`);
    expect(execution).toMatchObject({ status: 'failed', error_message: expect.stringContaining('acme_code') });
  });

  it('succeed if only members of teams or steps of workflows need it, because these can fail separately', async () => {
    const teamId = await create('/teams', { name: 'mixed' });
    await create('/agents', { name: 'member', runtime: 'acme_code', team_id: teamId });
    const steps = [{ name: 'code', type: 'agent', agent_id: agentId, prompt: 'Go' }];
    const workflowId = await create('/workflows', { name: 'w', steps });
    const runs = [
      send('POST', `/teams/${teamId}/execute`, { prompt: 'Go', worker_queue_id: 'plain' }),
      send('POST', `/workflows/${workflowId}/execute`, { worker_queue_id: 'plain' }),
    ];
    for (const started of await Promise.all(runs)) expect(started).toMatchObject({ status: 'pending' });
  });

  it('wait on a queue without live workers, or with a worker that declares nothing', async () => {
    const empty = await newQueue('empty');
    const silent = await newQueue('silent', { runtimes: ['default'] }, {});
    const start = (queue: string): Promise<Json> =>
      send('POST', `/agents/${agentId}/execute`, { prompt: 'Go', worker_queue_id: queue });
    expect(await start(empty)).toMatchObject({ status: 'pending', message: expect.stringContaining('empty') });
    expect(await start(silent)).toMatchObject({ status: 'pending', message: 'Execution of coder started' });
  });
});
