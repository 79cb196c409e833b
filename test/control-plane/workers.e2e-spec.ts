import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

const NOBODY = '01900000-0000-7000-8000-000000000000';

describe('workers over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, scheme: 'UserKey', body, headers });

  const json = async (method: string, path: string, body?: unknown): Promise<Json> =>
    (await send(method, path, body)).body as Json;

  let queueCount = 0;
  async function newQueue(fields: Json = {}): Promise<string> {
    queueCount += 1;
    const body = { name: `queue-${queueCount}`, ...fields };
    return (await json('POST', '/environments/default/worker-queues', body))['id'] as string;
  }

  const start = async (queueId: string, body?: Json): Promise<string> =>
    (await json('POST', `/worker-queues/${queueId}/start`, body))['worker_id'] as string;

  const poll = (workerId: string, body: Json = {}): Promise<HttpResponse> =>
    send('POST', `/workers/${workerId}/poll`, body);

  /** Creates an agent and a waiting execution in the queue, and returns its id. */
  async function newExecution(queueId: string, agent: Json = {}, run: Json = {}): Promise<string> {
    const { id } = await json('POST', '/agents', { name: 'runner', ...agent });
    const body = { prompt: 'Go', worker_queue_id: queueId, ...run };
    return (await json('POST', `/agents/${id}/execute`, body))['execution_id'] as string;
  }

  it('get their configuration when they start, with or without a body', async () => {
    const queueId = await newQueue({ heartbeat_interval: 30 });
    for (const body of [undefined, { hostname: 'h', worker_metadata: { pid: 1 } }]) {
      const started = await send('POST', `/worker-queues/${queueId}/start`, body);
      expect(started.status).toBe(200);
      expect(started.body).toEqual({
        worker_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        task_queue_name: queueId,
        organization_id: expect.any(String),
        control_plane_url: platform.url,
        heartbeat_interval: 30,
        queue_name: `queue-${queueCount}`,
        environment_name: 'default',
        llm_gateway_url: platform.gatewayUrl,
        llm_gateway_api_key: expect.any(String),
        engine_namespace: expect.any(String),
        websocket_enabled: true,
        websocket_url: expect.stringMatching(/^ws:.*\/api\/v1\/ws\/workers\/[0-9a-f-]{36}$/),
      });
    }
    const listed = await send('GET', `/worker-queues/${queueId}/workers`);
    expect(listed.headers.get('x-total-count')).toBe('2');
    expect(listed.body).toEqual([
      expect.objectContaining({ hostname: 'h', worker_metadata: { pid: 1 }, status: 'active' }),
      expect.objectContaining({ hostname: null, worker_metadata: {} }),
    ]);
  });

  it('declare the runtimes and skills that they have, and are returned with them', async () => {
    const queueId = await newQueue();
    const [silent, declaring] = [
      await start(queueId),
      await start(queueId, { runtimes: ['default', 'a_code', 'default'], skills: [] }),
    ];
    const read = (id: string): Promise<Json> => json('GET', `/workers/${id}`);
    expect(await read(silent)).toMatchObject({ runtimes: null, skills: null });
    expect(await read(declaring)).toMatchObject({ runtimes: ['default', 'a_code'], skills: [] });
    await json('POST', `/workers/${declaring}/heartbeat`, { skills: ['shell'] });
    expect(await read(declaring)).toMatchObject({ runtimes: ['default', 'a_code'], skills: ['shell'] });
    const registered = await json('POST', '/workers/register', { runtimes: ['b_code'], skills: ['docker'] });
    expect(await read(registered['worker_id'] as string)).toMatchObject({ runtimes: ['b_code'], skills: ['docker'] });
    for (const refused of [{ runtimes: ['x'.repeat(256)] }, { skills: Array.from({ length: 101 }, () => 'shell') }]) {
      expect((await send('POST', `/worker-queues/${queueId}/start`, refused)).status).toBe(422);
    }
  });

  it('register by environment and queue name; without a body, in the default ones', async () => {
    const anywhere = await json('POST', '/workers/register');
    expect(anywhere).toMatchObject({ queue_name: 'default', environment_name: 'default' });
    const queueId = await newQueue();
    const named = { environment_name: 'default', worker_queue_name: `queue-${queueCount}` };
    expect(await json('POST', '/workers/register', named)).toMatchObject({ task_queue_name: queueId });
    expect((await send('POST', '/workers/register', { environment_name: 'none' })).status).toBe(404);
  });

  it('are rejected beyond max_workers', async () => {
    const queueId = await newQueue({ max_workers: 1 });
    await start(queueId);
    expect((await send('POST', `/worker-queues/${queueId}/start`)).status).toBe(409);
  });

  it('have a UUID: 422 for any other id, 404 for an unknown one', async () => {
    const routes = [
      ['GET', ''],
      ['POST', '/heartbeat'],
      ['POST', '/poll'],
      ['POST', '/disconnect'],
    ] as const;
    for (const [method, rest] of routes) {
      const rejected = await send(method, `/workers/not-a-uuid${rest}`, method === 'POST' ? {} : undefined);
      expect(rejected).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['path', 'worker_id'], type: 'uuid_parsing', msg: expect.any(String) }] },
      });
      expect((await send(method, `/workers/${NOBODY}${rest}`, method === 'POST' ? {} : undefined)).status).toBe(404);
    }
    expect((await send('POST', '/workers/heartbeat', { worker_id: 'x' })).status).toBe(422);
    expect((await send('POST', '/workers/heartbeat', {})).status).toBe(422);
  });

  it('are found by their id in upper and lower case', async () => {
    const workerId = await start(await newQueue());
    const shouted = `/workers/${workerId.toUpperCase()}`;
    expect(await json('GET', shouted)).toMatchObject({ id: workerId });
    expect(await json('GET', `${shouted}/leases`)).toEqual([]);
    expect(await json('POST', `${shouted}/heartbeat`)).toMatchObject({ worker_id: workerId });
    expect(await json('POST', `${shouted}/poll`, { wait_seconds: 0 })).toEqual([]);
    expect(await json('POST', `${shouted}/disconnect`)).toMatchObject({ worker_id: workerId });
  });

  it('report their state with heartbeats, by path or by body', async () => {
    const workerId = await start(await newQueue());
    const beat = { worker_id: workerId, last_heartbeat_at: expect.any(String), heartbeat_interval: 60, commands: [] };
    expect(await json('POST', `/workers/${workerId}/heartbeat`, { status: 'busy' })).toEqual({
      ...beat,
      status: 'busy',
    });
    expect(await json('POST', '/workers/heartbeat', { worker_id: workerId })).toEqual({ ...beat, status: 'busy' });
    expect(await json('GET', `/workers/${workerId}`)).toMatchObject({ status: 'busy' });
    expect((await send('POST', `/workers/${workerId}/heartbeat`, { status: 'stale' })).status).toBe(422);
  });

  it('disconnect once, keep the first reason, and are rejected afterwards', async () => {
    const queueId = await newQueue();
    const workerId = await start(queueId);
    const accessViolation = 0xc0000005;
    const crash = { reason: 'crash', exit_code: accessViolation, error_message: 'boom' };
    const first = await send('POST', `/workers/${workerId}/disconnect`, crash);
    expect(first).toMatchObject({ status: 200 });
    const expected = { worker_id: workerId, status: 'disconnected', ...crash, disconnected_at: expect.any(String) };
    expect(first.body).toEqual(expected);
    const second = await send('POST', `/workers/${workerId}/disconnect`, { reason: 'other' });
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect((await send('POST', `/workers/${workerId}/heartbeat`, {})).status).toBe(409);
    expect((await poll(workerId)).status).toBe(409);
    expect(await json('GET', `/worker-queues/${queueId}`)).toMatchObject({ active_workers: 0 });
    const listed = (await send('GET', `/workers?status=disconnected&worker_queue_id=${queueId}`)).body;
    expect(listed).toEqual([expect.objectContaining({ id: workerId, reason: 'crash', exit_code: accessViolation })]);
  });

  it('disconnect without a body, for shutdown', async () => {
    const workerId = await start(await newQueue());
    const answer = await json('POST', `/workers/${workerId}/disconnect`);
    expect(answer).toMatchObject({ reason: 'shutdown', exit_code: null, error_message: null });
  });

  it('get nothing from a poll if no work arrives in the wait time', async () => {
    const workerId = await start(await newQueue());
    expect(await poll(workerId, { wait_seconds: 0 })).toMatchObject({ status: 200, body: [] });
    for (const body of [{ max: 0 }, { wait_seconds: 31 }, { wait_seconds: -1 }]) {
      expect((await poll(workerId, body)).status).toBe(422);
    }
  });

  it('get work as soon as there is some, with everything needed to run it', async () => {
    const environment = { execution_environment: { env_vars: { WHERE: 'environment', LEVEL: 'info' } } };
    await json('PATCH', '/environments/default', environment);
    const model = { value: 'acme/large', label: 'Large', provider: 'acme', capabilities: { tools: true } };
    const { id: modelId } = await json('POST', '/models', model);
    const queueId = await newQueue();
    const workerId = await start(queueId);
    const waiting = poll(workerId);
    const agent = { model_id: modelId, execution_environment: { env_vars: { LEVEL: 'debug' } } };
    const run = { execution_environment: { env_vars: { RUN: 1 } } };
    const executionId = await newExecution(queueId, agent, run);
    const [lease] = (await waiting).body as [Json];
    expect(lease).toEqual({
      lease_token: expect.any(String),
      calls: [],
      candidates: [],
      earlier_usage: {},
      workflow: null,
      attempt: 1,
      expires_at: expect.any(String),
      timeout_seconds: 3600,
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      tracestate: null,
      execution: expect.objectContaining({ id: executionId, prompt: 'Go', job_id: null, config: {}, ...run }),
      agent: expect.objectContaining({ name: 'runner', model_id: modelId }),
      team: null,
      skills: [],
      context: { knowledge_uuids: [], knowledge: [], resource_ids: [], policy_ids: [] },
      environment: { WHERE: 'environment', LEVEL: 'debug', RUN: '1' },
      models: {},
      secrets: [],
      mcp_servers: {},
      withheld_variables: {},
      model: { id: modelId, value: 'acme/large', label: 'Large', provider: 'acme', capabilities: { tools: true } },
    });
  });

  it('get the team with its members for a team execution', async () => {
    await json('PATCH', '/environments/default', { execution_environment: { env_vars: { A: 'e', B: 'e' } } });
    const queueId = await newQueue();
    const configuration = { instructions: 'Together', llm: { model: 'acme/leader' } };
    const variables = { execution_environment: { env_vars: { B: 'team', C: 'team' } } };
    const { id } = await json('POST', '/teams', { name: 'crew', configuration, ...variables });
    await json('POST', '/agents', { name: 'member', system_prompt: 'Help', team_id: id });
    await json('POST', `/teams/${id}/execute`, { prompt: 'Go', worker_queue_id: queueId });
    const [lease] = (await poll(await start(queueId))).body as [Json];
    expect(lease).toMatchObject({
      agent: null,
      team: { id, configuration, agents: [{ name: 'member', system_prompt: 'Help', team_id: id }] },
      environment: { A: 'e', B: 'team', C: 'team' },
      model: { value: 'acme/leader' },
    });
  });

  it("get the variables of the agent's team between those of the environment and its own", async () => {
    await json('PATCH', '/environments/default', { execution_environment: { env_vars: { A: 'e', B: 'e', C: 'e' } } });
    const queueId = await newQueue();
    const env = (env_vars: Json): Json => ({ execution_environment: { env_vars } });
    const { id } = await json('POST', '/teams', { name: 'crew', ...env({ B: 'team', C: 'team' }) });
    await newExecution(queueId, { team_id: id, ...env({ C: 'agent' }) });
    const [lease] = (await poll(await start(queueId))).body as [Json];
    expect([lease['team'], lease['environment']]).toEqual([null, { A: 'e', B: 'team', C: 'agent' }]);
  });

  it('get the model of the agent, even if it is not stored', async () => {
    const queueId = await newQueue();
    const workerId = await start(queueId);
    await newExecution(queueId, { model_id: 'only/at-the-gateway' });
    const [lease] = (await poll(workerId)).body as [Json];
    expect(lease['model']).toMatchObject({ id: null, value: 'only/at-the-gateway' });
  });

  it('get the default model for a job without an agent', async () => {
    const queueId = await newQueue();
    const workerId = await start(queueId);
    const plan = { planning_mode: 'on_the_fly', executor_type: 'specific_queue', worker_queue_name: queueId };
    const job = await json('POST', '/jobs', { name: 'j', trigger_type: 'manual', prompt_template: 'Do it.', ...plan });
    await json('POST', `/jobs/${job['id']}/trigger`);
    const [lease] = (await poll(workerId)).body as [Json];
    expect(lease['agent']).toBeNull();
    expect(lease['model']).toMatchObject({ value: 'development-model' });
  });

  it('get nothing from a paused queue, and work at once when it is resumed', async () => {
    const queueId = await newQueue();
    const workerId = await start(queueId);
    await json('PATCH', `/worker-queues/${queueId}`, { status: 'paused' });
    const executionId = await newExecution(queueId);
    expect((await poll(workerId, { wait_seconds: 0.2 })).body).toEqual([]);
    const waiting = poll(workerId, { wait_seconds: 20 });
    await json('PATCH', `/worker-queues/${queueId}`, { status: 'active' });
    expect((await waiting).body).toEqual([
      expect.objectContaining({ execution: expect.objectContaining({ id: executionId }) }),
    ]);
  });

  it('release their work when they disconnect: a crash counts as an attempt, a stop does not', async () => {
    const queueId = await newQueue();
    const executionId = await newExecution(queueId);
    const attempts = [];
    for (const goodbye of [{ reason: 'crash', exit_code: 1 }, { reason: 'shutdown', exit_code: 0 }, {}]) {
      const workerId = await start(queueId);
      const [lease] = (await poll(workerId)).body as [Json];
      expect(lease['execution']).toMatchObject({ id: executionId });
      attempts.push(lease['attempt']);
      await json('POST', `/workers/${workerId}/disconnect`, goodbye);
    }
    expect(attempts).toEqual([1, 2, 2]);
  });

  it('do not get an execution whose agent was deleted: it fails with the reason', async () => {
    const queueId = await newQueue();
    const executionId = await newExecution(queueId);
    const { entity_id: agentId } = await json('GET', `/executions/${executionId}`);
    await json('DELETE', `/agents/${agentId}`);
    const workerId = await start(queueId);
    await eventually(async () => {
      expect((await poll(workerId, { wait_seconds: 1 })).body).toEqual([]);
      expect(await json('GET', `/executions/${executionId}`)).toMatchObject({
        status: 'failed',
        error_message: expect.stringContaining('no longer exists'),
      });
    });
  });

  it('lose no work when they disconnect during a poll', async () => {
    const queueId = await newQueue();
    const leavingWorkerId = await start(queueId);
    const leaving = new AbortController();
    const abandoned = fetch(`${platform.url}/api/v1/workers/${leavingWorkerId}/poll`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${platform.adminKey}`, 'Content-Type': 'application/json' },
      body: '{"wait_seconds":20}',
      signal: leaving.signal,
    }).catch(() => undefined);
    // After another request, the poll has reached the server.
    await json('GET', `/workers/${leavingWorkerId}`);
    leaving.abort();
    await abandoned;
    const executionId = await newExecution(queueId);
    const [lease] = (await poll(await start(queueId))).body as [Json];
    expect(lease['execution']).toMatchObject({ id: executionId });
  });

  it('get an empty response when the control plane stops, and their work from another one', async () => {
    const queueId = await newQueue();
    const workerId = await start(queueId);
    // Longer than the time limit of a test: the process must end its polls to stop in time.
    const stopping = await platform.startControlPlane({ SHUTDOWN_GRACE_MS: '60000' });
    const options = { key: platform.adminKey, body: { wait_seconds: 30 } };
    const waiting = call('POST', `${stopping.url}/api/v1/workers/${workerId}/poll`, options);
    await call('GET', `${stopping.url}/api/v1/workers/${workerId}`, { key: platform.adminKey });
    expect(await stopping.process.kill('SIGTERM')).toBe(0);
    expect(await waiting).toMatchObject({ status: 200, body: [] });
    const executionId = await newExecution(queueId);
    const [lease] = (await poll(workerId)).body as [Json];
    expect(lease['execution']).toMatchObject({ id: executionId });
  });

  it('prevent the deletion of their queue while connected, and so does waiting work', async () => {
    const queueId = await newQueue();
    const workerId = await start(queueId);
    expect((await send('DELETE', `/worker-queues/${queueId}`)).status).toBe(409);
    await json('POST', `/workers/${workerId}/disconnect`);
    const executionId = await newExecution(queueId);
    expect((await send('DELETE', `/worker-queues/${queueId}`)).status).toBe(409);
    await json('POST', `/executions/${executionId}/cancel`);
    expect((await send('DELETE', `/worker-queues/${queueId}`)).status).toBe(204);
  });

  it('never get an execution whose queue was deleted just before it was stored: it fails with the reason', async () => {
    const queueId = await newQueue();
    const executionId = await newExecution(queueId);
    // The state after a deletion that counted the executions of the queue just before the start was committed.
    await platform.sql('DELETE FROM worker_queues WHERE id = $1', [queueId]);
    await eventually(async () => {
      expect(await json('GET', `/executions/${executionId}`)).toMatchObject({
        status: 'failed',
        error_message: `The worker queue ${queueId} no longer exists`,
        completed_at: expect.any(String),
      });
    });
  });

  it('learn of a cancellation with their next poll, even if it returns leases, and with their next write', async () => {
    const queueId = await newQueue();
    const workerId = await start(queueId);
    const executionId = await newExecution(queueId);
    const first = await poll(workerId);
    expect(first.headers.has('x-worker-commands')).toBe(false);
    const token = String((first.body as [Json])[0]['lease_token']);
    await json('POST', `/executions/${executionId}/cancel`);
    const next = await poll(workerId, { wait_seconds: 0 });
    expect(next).toMatchObject({ status: 200, body: [] });
    const commands: unknown = JSON.parse(next.headers.get('x-worker-commands') ?? 'null');
    expect(commands).toEqual([{ command: 'cancel', execution_id: executionId }]);
    const write = await send('PATCH', `/executions/${executionId}`, { response: 'x' }, { 'X-Lease-Token': token });
    expect(write.status).toBe(409);
  });

  it('learn of a cancellation with their next heartbeat', async () => {
    const queueId = await newQueue();
    const workerId = await start(queueId);
    const executionId = await newExecution(queueId);
    await poll(workerId);
    await json('POST', `/executions/${executionId}/cancel`);
    const beat = await json('POST', `/workers/${workerId}/heartbeat`, {});
    expect(beat['commands']).toEqual([{ command: 'cancel', execution_id: executionId }]);
  });
});
