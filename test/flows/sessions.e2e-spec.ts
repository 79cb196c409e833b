import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiError, unwrap, type ControlPlaneComponents } from '@app/api-client';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

type Schemas = ControlPlaneComponents['schemas'];
type Session = Schemas['UserSessionResponse'];
type Started = Schemas['StartedExecutionResponse'];
type ExecuteRequest = Schemas['ExecuteAgentRequest'];

/** A run that asks a question lasts until somebody answers. */
const ASK = '[[tool ask_user {"question":"Which?"}]]';
/** Leases of five seconds at the shortest heartbeat, so that they expire within a test. */
const ENV = { LEASE_HEARTBEATS: '0.5', RECONCILE_INTERVAL_MS: '500', DEFAULT_MODEL: 'development-model' };

describe('sessions', () => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.start({ modelGateway: true, platformApi: true, env: ENV });
    await platform.startWorker({ WORKER_CONCURRENCY: '4' });
    user = new Scenario(platform);
    agentId = await user.newAgent({ configuration: { ask_user: true } });
  });

  afterAll(() => platform.stop());

  async function say(session_id: string, prompt: string, more: Partial<ExecuteRequest> = {}): Promise<Started> {
    const params = { path: { agent_id: agentId } };
    return unwrap(
      user.client.POST('/api/v1/agents/{agent_id}/execute', { params, body: { prompt, session_id, ...more } }),
    );
  }

  const waitUntilAsked = (id: string): Promise<void> =>
    eventually(async () => expect((await user.execution(id)).status).toBe('waiting_for_input'));

  async function answer(id: string, message: string): Promise<void> {
    const params = { path: { execution_id: id } };
    await unwrap(user.client.POST('/api/v1/executions/{execution_id}/message', { params, body: { message } }));
  }

  async function list(query: Record<string, string | number> = {}): Promise<Session[]> {
    return unwrap(user.client.GET('/api/v1/sessions', { params: { query } }));
  }

  async function sessionNamed(sessionId: string): Promise<Session> {
    const [session] = await list({ q: sessionId });
    if (session === undefined) throw new Error(`No session ${sessionId}`);
    return session;
  }

  async function messagesOf(id: string): Promise<Schemas['ConversationMessage'][]> {
    const params = { path: { user_session_id: id } };
    return unwrap(user.client.GET('/api/v1/sessions/{user_session_id}/messages', { params }));
  }

  const refusalOf = async (request: Promise<unknown>): Promise<ApiError> => {
    const error: unknown = await request.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof ApiError)) throw new Error('The request was not refused', { cause: error });
    return error;
  };

  describe('while one of their runs has not ended', () => {
    it('let the next one wait, which then knows what was said', async () => {
      const { execution_id: first } = await say('waits', `My name is Ada. ${ASK}`);
      await waitUntilAsked(first);
      const second = await say('waits', '[[recall]]');
      expect(second).toMatchObject({ status: 'pending', message: expect.stringContaining(first) });
      const params = { path: { execution_id: second.execution_id } };
      expect(await unwrap(user.client.GET('/api/v1/executions/{execution_id}/timeline', { params }))).toMatchObject({
        waits_for_execution_id: first,
        attempts: [{ queued_at: null }],
      });
      expect(await sessionNamed('waits')).toMatchObject({
        running_execution_id: first,
        running_execution_status: 'waiting_for_input',
        turns: 2,
      });
      await answer(first, 'The blue one.');
      const { response } = await user.waitUntilEnded(second.execution_id);
      expect(response).toContain('My name is Ada.');
      expect((await user.execution(first)).status).toBe('completed');
    });

    it('refuse the next one or let it run beside it, if it wants that', async () => {
      const { execution_id: first } = await say('busy', ASK);
      await waitUntilAsked(first);
      const refusal = await refusalOf(say('busy', 'now', { multitask: 'reject' }));
      expect([refusal.status, refusal.code]).toEqual([409, 'session_busy']);
      expect(refusal.message).toContain(first);
      const beside = await say('busy', 'beside', { multitask: 'parallel' });
      expect((await user.waitUntilEnded(beside.execution_id)).status).toBe('completed');
      expect((await user.execution(first)).status).toBe('waiting_for_input');
      await user.cancel(first);
      const later = await say('busy', 'now', { multitask: 'reject' });
      expect((await user.waitUntilEnded(later.execution_id)).status).toBe('completed');
    });

    it('have the wait of the next one in its trace, also if the control plane is killed meanwhile', async () => {
      const { execution_id: first } = await say('traced', ASK);
      await waitUntilAsked(first);
      const { execution_id: second } = await say('traced', 'hello');
      const [controlPlane] = platform.controlPlanes;
      await controlPlane?.process.kill('SIGKILL');
      await controlPlane?.process.restart();
      await answer(first, 'The blue one.');
      const { trace_id } = await user.waitUntilEnded(second);
      await eventually(async () => {
        const trace = await user.client.GET('/api/v1/traces/{trace_id}/outline', {
          params: { path: { trace_id: trace_id ?? '' } },
        });
        const spans = trace.data?.spans ?? [];
        expect(spans).toContainEqual(expect.objectContaining({ name: 'wait for session' }));
        const { span_id = '' } = spans.find(({ name }) => name === 'wait for session') ?? {};
        const params = { path: { trace_id: trace_id ?? '', span_id } };
        const { data } = await user.client.GET('/api/v1/traces/{trace_id}/spans/{span_id}', { params });
        expect(data?.attributes).toMatchObject({ 'platform.waited_for_execution.id': first });
      });
    });

    it('do so for jobs and for the session of a team', async () => {
      const { execution_id: first } = await say('shared', ASK);
      await waitUntilAsked(first);
      const jobId = await user.newJob(agentId, { config: { session_id: 'shared', multitask: 'reject' } });
      const trigger = (config_override: Record<string, unknown>): Promise<Schemas['JobTriggerResponse']> =>
        unwrap(
          user.client.POST('/api/v1/jobs/{job_id}/trigger', {
            params: { path: { job_id: jobId } },
            body: { parameters: { prompt: 'hello' }, config_override },
          }),
        );
      expect((await refusalOf(trigger({}))).code).toBe('session_busy');
      expect((await refusalOf(trigger({ multitask: 'sometimes' }))).status).toBe(422);
      const waiting = await trigger({ multitask: 'enqueue' });
      expect(waiting.message).toContain(first);
      const body = { name: 'crew', configuration: { session: { session_id: 'shared', multitask: 'reject' as const } } };
      const { id: team_id } = await unwrap(user.client.POST('/api/v1/teams', { body }));
      const ofTeam = (): Promise<unknown> =>
        unwrap(
          user.client.POST('/api/v1/teams/{team_id}/execute', {
            params: { path: { team_id } },
            body: { prompt: 'hi' },
          }),
        );
      expect((await refusalOf(ofTeam())).code).toBe('session_busy');
      await user.cancel(first);
      expect((await user.waitUntilEnded(waiting.execution_id)).status).toBe('completed');
      await ofTeam();
    });

    it('go on after the death of the worker in its second attempt', async () => {
      const queueId = await user.newQueue('dying');
      const dying = await platform.startWorker({ WORKER_QUEUE: queueId });
      const on = { worker_queue_id: queueId };
      const { execution_id: first } = await say('dies', '[[pace 200ms]] [[tokens 40]] slowly', on);
      const { execution_id: second } = await say('dies', '[[recall]]', on);
      await eventually(async () => expect((await user.execution(first)).status).toBe('running'));
      await dying.process.kill('SIGKILL');
      await eventually(async () => expect((await user.execution(first)).status).toBe('pending'));
      expect((await user.execution(second)).status).toBe('pending');
      await platform.startWorker({ WORKER_QUEUE: queueId });
      await user.waitUntilEnded(second);
      const rows = await platform.sql<{ id: string; attempt: number; ended: string; leased: string }>(
        `SELECT e.id, t.attempt, max(sequence) AS ended, min(sequence) FILTER (WHERE lease = 'acquired') AS leased
         FROM execution_transitions t JOIN executions e ON e.id = t.execution_id AND e.session_id = 'dies'
         GROUP BY e.id, e.session_turn, t.attempt ORDER BY e.session_turn, t.attempt`,
      );
      expect(rows.map(({ id }) => id)).toEqual([first, first, second]);
      expect(Number(rows[1]?.ended)).toBeLessThan(Number(rows[2]?.leased));
    });
  });

  describe('of an organization', () => {
    const ended = async (sessionId: string, prompt: string): Promise<string> => {
      const { execution_id: id } = await say(sessionId, prompt);
      await user.waitUntilEnded(id);
      return id;
    };

    it('are listed by what was used last, with filters and pages', async () => {
      await ended('list-1', 'Plan the first garden');
      await ended('list-2', 'Plan the second garden');
      await ended('list-1', 'and water it');
      const gardens = await eventually(async () => {
        const found = await list({ q: 'GARDEN' });
        expect(found.map(({ session_id }) => session_id)).toEqual(['list-1', 'list-2']);
        expect(found[0]?.running_execution_id).toBeNull();
        return found;
      });
      expect(gardens[0]).toMatchObject({
        name: 'Plan the first garden',
        entity_id: agentId,
        execution_type: 'agent',
        turns: 2,
        last_message_preview: expect.any(String),
        forked_from_id: null,
        project_ids: [],
      });
      const { user_id } = gardens[0] as Session;
      expect(await list({ q: 'garden', user_id })).toEqual(gardens);
      expect(await list({ q: 'garden', user_id: 'nobody' })).toEqual([]);
      expect(await list({ q: 'garden', entity_id: 'nothing' })).toEqual([]);
      const project = { name: 'gardens', key: 'gardens' };
      const { id: project_id } = await unwrap(user.client.POST('/api/v1/projects', { body: project }));
      expect(await list({ project_id })).toEqual([]);
      const params = { path: { project_id } };
      await unwrap(user.client.POST('/api/v1/projects/{project_id}/agents', { params, body: { agent_id: agentId } }));
      const ofProject = await list({ project_id, q: 'garden' });
      expect(ofProject.map(({ project_ids }) => project_ids)).toEqual([[project_id], [project_id]]);
      const url = `${platform.url}/api/v1/sessions?q=garden&limit=1`;
      const page = await call('GET', url, { key: platform.adminKey });
      const next = await call('GET', `${url}&cursor=${page.headers.get('x-next-cursor')}`, { key: platform.adminKey });
      expect([page.body, next.body]).toEqual([[ofProject[0]], [ofProject[1]]]);
      expect([page.headers.get('x-total-count'), next.headers.get('x-next-cursor')]).toEqual(['2', null]);
    });

    it('have the messages of all their runs, page by page', async () => {
      const ids: string[] = [];
      for (const prompt of ['one', 'two', 'three']) ids.push(await ended('pages', prompt));
      const { id } = await sessionNamed('pages');
      const all = await messagesOf(id);
      expect(all.map(({ role }) => role).join(' ')).toBe('user assistant user assistant user assistant');
      expect(all.map(({ execution_id }) => execution_id)).toEqual(ids.flatMap((one) => [one, one]));
      for (const limit of [1, 4]) {
        const walked: unknown[] = [];
        let cursor: string | null = '';
        while (cursor !== null) {
          const query = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
          const url = `${platform.url}/api/v1/sessions/${id}/messages?${query}`;
          const { body, headers } = await call('GET', url, { key: platform.adminKey });
          walked.push(...(body as unknown[]));
          expect(headers.get('x-total-count')).toBe('6');
          cursor = headers.get('x-next-cursor');
        }
        expect(walked).toEqual(all);
      }
      const skipped = await call('GET', `${platform.url}/api/v1/sessions/${id}/messages?skip=3&limit=2`, {
        key: platform.adminKey,
      });
      expect(skipped.body).toEqual(all.slice(3, 5));
    });

    it('are named by their executions, which are listed by session', async () => {
      const ids = [await ended('named', 'one'), await ended('named', 'two')].toReversed();
      const { user_id } = await sessionNamed('named');
      const key = platform.adminKey;
      for (const [url, scheme] of [
        [platform.url, 'Bearer'],
        [platform.platformApi?.url, 'UserKey'],
      ] as const) {
        const { body } = await call('GET', `${url}/api/v1/executions/${ids[0]}`, { key, scheme });
        expect(body).toMatchObject({ id: ids[0], session_id: 'named' });
      }
      const rows = ids.map((id) => expect.objectContaining({ id, session_id: 'named' }));
      const query = { session_id: 'named' };
      expect(await unwrap(user.client.GET('/api/v1/executions', { params: { query } }))).toEqual(rows);
      const summaries = (session_id: string, ofUser: string): Promise<Schemas['ExecutionSummaryPageResponse']> =>
        unwrap(user.client.GET('/api/v1/execution-summaries', { params: { query: { session_id, user_id: ofUser } } }));
      expect(await summaries('named', user_id)).toEqual({ items: rows, next_cursor: null });
      for (const none of [await summaries('named', 'nobody'), await summaries('unknown', user_id)]) {
        expect(none.items).toEqual([]);
      }
      const outside = await user.execute(agentId, 'no session');
      expect((await user.execution(outside)).session_id).toBeNull();
    });

    it('are renamed', async () => {
      await ended('rename', 'old name');
      const params = { path: { user_session_id: (await sessionNamed('rename')).id } };
      const renamed = await unwrap(
        user.client.PATCH('/api/v1/sessions/{user_session_id}', { params, body: { name: 'new name' } }),
      );
      expect(renamed.name).toBe('new name');
      await ended('rename', 'next prompt');
      expect((await sessionNamed('rename')).name).toBe('new name');
    });

    it('are forked up to a message, and both continue independently', async () => {
      await ended('trunk', '[[say the first answer]] first question');
      await ended('trunk', '[[say the second answer]] second question');
      const { id } = await sessionNamed('trunk');
      const messages = await messagesOf(id);
      const params = { path: { user_session_id: id } };
      const body = { message_id: String(messages[1]?.['message_id']), name: 'branch' };
      const fork = await unwrap(user.client.POST('/api/v1/sessions/{user_session_id}/fork', { params, body }));
      expect(fork).toMatchObject({ name: 'branch', turns: 0, forked_from_id: id, running_execution_id: null });
      expect(fork.last_message_preview).toContain('the first answer');
      expect(await messagesOf(fork.id)).toEqual(messages.slice(0, 2));
      const recalled = await user.execution(await ended(fork.session_id, '[[recall]]'));
      expect(recalled.response).toContain('the first answer');
      expect(recalled.response).not.toContain('second');
      expect(await messagesOf(id)).toEqual(messages);
      const whole = await unwrap(user.client.POST('/api/v1/sessions/{user_session_id}/fork', { params, body: {} }));
      expect(await messagesOf(whole.id)).toEqual(messages);
      const unknown = user.client.POST('/api/v1/sessions/{user_session_id}/fork', {
        params,
        body: { message_id: 'unknown' },
      });
      expect((await refusalOf(unwrap(unknown))).code).toBe('session_message_not_found');
      await unwrap(user.client.DELETE('/api/v1/sessions/{user_session_id}', { params }));
      expect(await messagesOf(whole.id)).toEqual(messages);
      const again = await unwrap(
        user.client.POST('/api/v1/sessions/{user_session_id}/fork', {
          params: { path: { user_session_id: fork.id } },
          body: {},
        }),
      );
      expect((await messagesOf(again.id)).length).toBe(4);
    });

    it('are deleted with their messages, but not while a run has not ended', async () => {
      const first = await ended('gone', 'My secret is a garden.');
      const { execution_id: asking } = await say('gone', ASK);
      await waitUntilAsked(asking);
      const params = { path: { user_session_id: (await sessionNamed('gone')).id } };
      const remove = (): Promise<unknown> =>
        unwrap(user.client.DELETE('/api/v1/sessions/{user_session_id}', { params }));
      const refusal = await refusalOf(remove());
      expect([refusal.code, refusal.message.includes(asking)]).toEqual(['session_busy', true]);
      await user.cancel(asking);
      await remove();
      expect((await refusalOf(remove())).code).toBe('session_not_found');
      const messages = await unwrap(
        user.client.GET('/api/v1/executions/{execution_id}/messages', { params: { path: { execution_id: first } } }),
      );
      expect(messages).toEqual([]);
      expect((await user.execution(first)).status).toBe('completed');
      const recalled = await user.execution(await ended('gone', '[[recall]]'));
      expect(recalled.response).not.toContain('secret');
      expect(await messagesOf((await sessionNamed('gone')).id)).toHaveLength(2);
    });
  });
});
