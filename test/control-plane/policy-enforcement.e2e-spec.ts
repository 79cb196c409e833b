import { createHmac } from 'node:crypto';
import { eventually } from '@app/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform, type Organization } from '../support/platform.js';
import { dataOf, ofType, Scenario } from '../support/scenario.js';

type Json = Record<string, unknown>;

const ALLOWS = 'package guard\n\nallow if input.action == "execute"';
const DENIES = 'package guard\n\nviolations contains sprintf("%s may not", [input.entity.name])';
const denies = (text: string): string => `package guard\n\ndeny contains "${text}"`;

describe('policy enforcement', () => {
  let platform: Platform;
  let user: Scenario;
  let stranger: Organization;
  let workerId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    stranger = await platform.createOrganization('stranger');
    workerId = String((await sendOk('POST', '/workers/register', {}))['worker_id']);
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

  async function newPolicy(policy_content: string, name = 'guard'): Promise<string> {
    return String((await sendOk('POST', '/policies', { name, policy_content }))['id']);
  }

  async function associate(
    policy_id: string,
    entity_type: string,
    entity_id: string,
    more: Json = {},
  ): Promise<string> {
    const body = { policy_id, entity_type, entity_id, ...more };
    return String((await sendOk('POST', '/policies/associations', body))['id']);
  }

  async function guard(entity_type: string, entity_id: string, content: string, name?: string): Promise<string> {
    const policyId = await newPolicy(content, name);
    await associate(policyId, entity_type, entity_id);
    return policyId;
  }

  const evaluate = (entity: string, body: Json = {}): Promise<Json> =>
    sendOk('POST', `/policies/evaluate/${entity}`, body);

  const decisionsOf = async (query: string): Promise<Json[]> =>
    (await sendOk('GET', `/policies/decisions?${query}`)) as unknown as Json[];

  /** An agent with a team and an environment. */
  async function newCrew(): Promise<{ agentId: string; teamId: string; environmentId: string }> {
    const name = `lab-${crypto.randomUUID()}`;
    const environmentId = String((await sendOk('POST', '/environments', { name }))['id']);
    await sendOk('POST', `/environments/${environmentId}/worker-queues`, { name: 'default' });
    const teamId = String((await sendOk('POST', '/teams', { name: 'crew' }))['id']);
    const agentId = await user.newAgent({ name: 'writer', team_id: teamId, environment_ids: [environmentId] });
    return { agentId, teamId, environmentId };
  }

  describe('inheritance', () => {
    it('evaluates environments, team and agent in this order, and returns the verdict of each policy', async () => {
      const { agentId, teamId, environmentId } = await newCrew();
      const own = await guard('agent', agentId, denies('agent'), 'own');
      const team = await guard('team', teamId, ALLOWS, 'team');
      const environment = await guard('environment', environmentId, denies('environment'), 'environment');
      const result = (policy_name: string, type: string, id: string, violations: string[]): Json => ({
        policy_name,
        version: 1,
        allowed: violations.length === 0,
        violations,
        source: { entity_type: type, entity_id: id },
        sources: [{ entity_type: type, entity_id: id }],
        duration_ms: expect.any(Number),
      });
      expect(await evaluate(`agent/${agentId}`, { input_data: { action: 'execute' } })).toEqual({
        allowed: false,
        violations: ['environment', 'agent'],
        policy_results: {
          [environment]: result('environment', 'environment', environmentId, ['environment']),
          [team]: result('team', 'team', teamId, []),
          [own]: result('own', 'agent', agentId, ['agent']),
        },
      });
      expect((await evaluate(`team/${teamId}`))['violations']).toEqual(['environment']);
      expect((await evaluate(`environment/${environmentId}`))['violations']).toEqual(['environment']);
    });

    it.each(['environment', 'team', 'agent'] as const)('denies by a policy of the %s alone', async (level) => {
      const { agentId, teamId, environmentId } = await newCrew();
      const ids = { environment: environmentId, team: teamId, agent: agentId };
      for (const [type, id] of Object.entries(ids)) await guard(type, id, type === level ? denies(type) : ALLOWS);
      const body = { input: { action: 'execute' } };
      expect(await evaluate(`agent/${agentId}`, body)).toMatchObject({ allowed: false, violations: [level] });
      const execution = await user.execution(await user.execute(agentId, 'Go'));
      expect(execution).toMatchObject({ status: 'failed', error_message: expect.stringContaining(level) });
    });

    it('orders by priority, excludes disabled policies, and evaluates only the named ones', async () => {
      const agentId = await user.newAgent();
      const low = await newPolicy(denies('low'));
      const high = await newPolicy(denies('high'));
      const off = await guard('agent', agentId, denies('off'));
      await sendOk('PUT', `/policies/${off}`, { enabled: false });
      await associate(low, 'agent', agentId);
      const association = await associate(high, 'agent', agentId, { priority: 5 });
      const violations = async (body: Json = {}): Promise<unknown> =>
        (await evaluate(`agent/${agentId}`, body))['violations'];
      expect(await violations()).toEqual(['high', 'low']);
      expect(await violations({ policy_ids: [low] })).toEqual(['low']);
      expect(await violations({ policy_ids: [off] })).toEqual([]);
      const loose = await newPolicy(denies('loose'));
      expect(await violations({ policy_ids: [loose, low] })).toEqual(['low', 'loose']);
      await sendOk('PATCH', `/policies/associations/${association}`, { enabled: false });
      expect(await violations()).toEqual(['low']);
    });

    it('allows if no policy applies, and denies if a policy fails', async () => {
      const agentId = await user.newAgent();
      expect(await evaluate(`agent/${agentId}`)).toEqual({ allowed: true, violations: [], policy_results: {} });
      await guard('agent', agentId, '', 'draft');
      expect(await evaluate(`agent/${agentId}`)).toMatchObject({
        allowed: false,
        violations: [expect.stringMatching(/^Policy "draft" does not compile: line 1, column 1: /)],
      });
    });
  });

  describe('authorization', () => {
    it('evaluates all policies that apply, with the user of the key', async () => {
      const { agentId, teamId } = await newCrew();
      await guard('team', teamId, 'package t\n\nallow if input.context.office');
      await guard('agent', agentId, 'package a\n\nviolations contains input.resource.name if input.action == "delete"');
      const check = (body: Json): Promise<Json> =>
        sendOk('POST', `/policies/check-authorization/agent/${agentId}`, body);
      const resource = { name: 'bucket' };
      const context = { office: true };
      expect(await check({ action: 'read', resource, context })).toEqual({
        authorized: true,
        violations: [],
        policies_evaluated: 2,
      });
      expect(await check({ action: 'delete', resource, context })).toEqual({
        authorized: false,
        violations: ['bucket'],
        policies_evaluated: 2,
      });
      expect((await check({ action: 'read', resource: 'bucket' }))['authorized']).toBe(false);
      const missing = await send('POST', `/policies/check-authorization/agent/${agentId}`, { resource });
      expect(missing).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'action'], type: 'missing' }] } });
      const [last] = await decisionsOf(`entity_id=${agentId}&kind=authorization`);
      expect(last).toMatchObject({
        action: 'read',
        allowed: false,
        user_id: expect.any(String),
        key_id: expect.any(String),
      });
    });
  });

  describe('at each way to start an execution', () => {
    let agentId: string;
    let teamId: string;
    const denial = 'Denied by policy "guard" (version 1): writer may not';

    beforeAll(async () => {
      agentId = await user.newAgent({ name: 'writer' });
      teamId = String((await sendOk('POST', '/teams', { name: 'writer' }))['id']);
      await guard('agent', agentId, DENIES);
      await guard('team', teamId, DENIES);
    });

    /** Expects an execution that failed before it started, is not queued and has published its end. */
    async function expectDenied(id: string): Promise<void> {
      expect(await user.execution(id)).toMatchObject({
        status: 'failed',
        error_message: denial,
        started_at: null,
        completed_at: expect.any(String),
      });
      const events = await eventually(async () => {
        const told = await user.follow(id).done;
        expect(ofType(told, 'status').map(({ data }) => data['status'])).toEqual(['failed']);
        return told;
      });
      expect(events.at(-1)).toMatchObject({ event: 'done', data: { status: 'failed', error_message: denial } });
      expect(ofType(events, 'message_chunk').map(dataOf)).toEqual([]);
      const [row] = await platform.sql('SELECT worker_queue_id, queued_at, lease_token FROM executions WHERE id = $1', [
        id,
      ]);
      expect(row).toEqual({ worker_queue_id: null, queued_at: null, lease_token: null });
      expect(await sendOk('POST', `/workers/${workerId}/poll`, { max: 10, wait_seconds: 0 })).toEqual([]);
      expect(await decisionsOf(`execution_id=${id}`)).toMatchObject([
        { allowed: false, kind: 'execution', action: 'execute' },
      ]);
    }

    it('denies an agent execution', async () => {
      const started = await sendOk('POST', `/agents/${agentId}/execute`, { prompt: 'Go' });
      const id = String(started['execution_id']);
      expect(started).toEqual({ execution_id: id, workflow_id: id, status: 'failed', message: denial });
      await expectDenied(id);
      expect((await sendOk('GET', `/agents/${agentId}`))['last_active_at']).toBeNull();
    });

    it('denies a team execution', async () => {
      const started = await sendOk('POST', `/teams/${teamId}/execute`, { prompt: 'Go' });
      expect(started).toMatchObject({ status: 'failed', message: denial });
      await expectDenied(String(started['execution_id']));
    });

    it('denies a triggered job and counts the failure', async () => {
      const jobId = await user.newJob(agentId);
      const triggered = await user.trigger(jobId, { prompt: 'Go' });
      expect(triggered).toMatchObject({ status: 'failed', message: `Execution failed: ${denial}` });
      await expectDenied(triggered.execution_id);
      expect(await user.job(jobId)).toMatchObject({
        total_executions: 1,
        failed_executions: 1,
        execution_history: [{ execution_id: triggered.execution_id, status: 'failed', error_message: denial }],
      });
    });

    it('denies a webhook', async () => {
      const fields = { trigger_type: 'webhook', entity_type: 'agent', entity_id: agentId };
      const job = await sendOk('POST', '/jobs', { name: 'hook', prompt_template: 'Go', ...fields });
      const raw = '{"parameters":{}}';
      const digest = createHmac('sha256', String(job['webhook_secret'])).update(raw).digest('hex');
      const hooked = await call('POST', String(job['webhook_url']), {
        raw,
        headers: { 'X-Webhook-Signature': digest },
      });
      expect(hooked).toMatchObject({ status: 200, body: { message: `Execution failed: ${denial}` } });
      await expectDenied(String((hooked.body as Json)['execution_id']));
    });

    it('denies an instant of a schedule', async () => {
      const jobId = await user.newJob(agentId, { trigger_type: 'cron', cron_schedule: '* * * * * *' });
      const [run] = await eventually(async () => {
        const { execution_history } = await user.job(jobId);
        expect(execution_history).not.toEqual([]);
        return execution_history;
      });
      expect(run).toMatchObject({ trigger_type: 'cron', status: 'failed', error_message: denial });
      await sendOk('POST', `/jobs/${jobId}/disable`);
      await expectDenied(String(run?.['execution_id']));
    });

    it('denies an execution that the client would run itself', async () => {
      const created = await sendOk('POST', '/executions/create', { entity_id: agentId, entity_name: 'writer' });
      expect(created).toMatchObject({ status: 'failed' });
      await expectDenied(String(created['execution_id']));
      const running = await send('PATCH', `/executions/${created['execution_id']}`, { status: 'running' });
      expect(running.status).toBe(409);
    });

    it('denies a task of the platform API', async () => {
      const api = new PlatformApi(platform);
      const task = await api.expect(201, 'POST', '/api/v1/tasks', { name: 'Go', agent_id: agentId });
      expect(task['status']).toBe('failed');
      await expectDenied(String(task['execution_id']));
      expect(await api.expect(200, 'GET', `/api/v1/tasks/${task['id']}`)).toMatchObject({
        status: 'failed',
        error: denial,
      });
    });

    it('denies if more policies apply than can be evaluated, evaluations included', async () => {
      const environmentId = String((await sendOk('POST', '/environments', { name: 'crowded' }))['id']);
      const crowded = await user.newAgent({ name: 'crowded', environment_ids: [environmentId] });
      const ids = [await guard('agent', crowded, ALLOWS), await guard('environment', environmentId, ALLOWS)];
      const grow = `UPDATE policies SET policy_content = repeat('#', 524289) WHERE id = ANY($1)`;
      await platform.sql(grow, [ids]);
      const tooMany =
        'More policies apply than can be evaluated together: at most 500 policies with 1048576 bytes of text are allowed';
      const started = await sendOk('POST', `/agents/${crowded}/execute`, { prompt: 'Go' });
      expect(started).toMatchObject({ status: 'failed', message: `Denied: ${tooMany}` });
      const triggered = await user.trigger(await user.newJob(crowded), { prompt: 'Go' });
      expect(triggered['message']).toBe(`Execution failed: Denied: ${tooMany}`);
      for (const id of [started['execution_id'], triggered.execution_id]) {
        expect(await decisionsOf(`execution_id=${String(id)}`)).toMatchObject([
          { allowed: false, violations: [tooMany] },
        ]);
      }
      const denied = { violations: [tooMany] };
      expect(await evaluate(`agent/${crowded}`)).toEqual({ allowed: false, policy_results: {}, ...denied });
      const authorization = await sendOk('POST', `/policies/check-authorization/agent/${crowded}`, { action: 'x' });
      expect(authorization).toEqual({ authorized: false, policies_evaluated: 0, ...denied });
      expect((await send('GET', `/policies/resolved/agent/${crowded}`)).status).toBe(409);
    });

    it('replays a denial for a repeated request, and decides once', async () => {
      const headers = { 'Idempotency-Key': 'denied-once' };
      const execute = (): Promise<HttpResponse> =>
        call('POST', `${platform.url}/api/v1/agents/${agentId}/execute`, {
          key: platform.adminKey,
          body: { prompt: 'x' },
          headers,
        });
      const [first, second] = [await execute(), await execute()];
      expect(second.body).toEqual(first.body);
      const id = String((first.body as Json)['execution_id']);
      expect(await decisionsOf(`execution_id=${id}`)).toHaveLength(1);
    });

    it('allows again once the policy is disabled', async () => {
      const free = await user.newAgent({ name: 'free' });
      const policyId = await guard('agent', free, DENIES);
      expect((await user.execution(await user.execute(free, 'Go'))).status).toBe('failed');
      await sendOk('PUT', `/policies/${policyId}`, { enabled: false });
      const id = await user.execute(free, 'Go');
      const leases = (await sendOk('POST', `/workers/${workerId}/poll`, {
        max: 1,
        wait_seconds: 20,
      })) as unknown as Json[];
      expect(leases).toMatchObject([{ execution: { id, status: expect.any(String) } }]);
      await user.cancel(id);
    });
  });

  describe('for callers without access', () => {
    it('returns 404 for every id of another organization', async () => {
      const { agentId, teamId, environmentId } = await newCrew();
      const policyId = await guard('agent', agentId, DENIES);
      await evaluate(`agent/${agentId}`);
      const [decision] = await decisionsOf(`entity_id=${agentId}`);
      const paths = [
        ...['agent', 'team', 'environment'].map((type) => {
          const id = { agent: agentId, team: teamId, environment: environmentId }[type];
          return ['POST', `/policies/evaluate/${type}/`, id] as const;
        }),
        ['POST', '/policies/check-authorization/agent/', agentId] as const,
        ['GET', '/policies/decisions/', String(decision?.['id'])] as const,
      ];
      for (const [method, path, id] of paths) {
        const body = method === 'POST' ? { action: 'x' } : undefined;
        const foreign = await send(method, path + id, body, stranger.adminKey);
        const missing = await send(method, `${path}never-was`, body, stranger.adminKey);
        expect({ status: foreign.status, body: foreign.body }).toEqual({ status: 404, body: missing.body });
      }
      const replay = await send('POST', `/policies/decisions/${decision?.['id']}/replay`, {}, stranger.adminKey);
      expect(replay.status).toBe(404);
      const theirs = await send('POST', '/agents', { name: 'theirs' }, stranger.adminKey);
      const named = await send(
        'POST',
        `/policies/evaluate/agent/${(theirs.body as Json)['id']}`,
        { policy_ids: [policyId] },
        stranger.adminKey,
      );
      expect(named).toMatchObject({ status: 404, body: { detail: 'Policy not found' } });
      expect((await send('GET', '/policies/decisions', undefined, stranger.adminKey)).body).toEqual([]);
    });

    it('rejects keys without agents:read', async () => {
      const key = (await new PlatformApi(platform).withScopes('tasks:execute')).key;
      for (const [method, path] of [
        ['POST', '/policies/evaluate/agent/x'],
        ['POST', '/policies/check-authorization/agent/x'],
        ['GET', '/policies/decisions'],
        ['GET', '/policies/decisions/x'],
        ['POST', '/policies/decisions/x/replay'],
      ] as const) {
        const { status, body } = await send(method, path, method === 'POST' ? { action: 'x' } : undefined, key);
        expect({ status, body }).toEqual({
          status: 403,
          body: { detail: expect.stringContaining('scope: agents:read') },
        });
      }
    });
  });
});
