import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

type Json = Record<string, unknown>;

interface TreeSpan {
  readonly span_id: string;
  readonly name: string;
  readonly category: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly trace_state: string | null;
  readonly status_code: string;
  readonly status_message: string | null;
  readonly attributes: Json;
  readonly children: readonly TreeSpan[];
}

const TRACE_ID = 'c'.repeat(32);
const CALLER_SPAN = 'd'.repeat(16);

describe('the trace of an execution', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  const json = async (method: string, path: string, body?: unknown, headers = {}): Promise<Json> =>
    (await call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body, headers })).body as Json;

  /** Returns the spans of a trace once it has `count` of them. */
  const treeOf = (traceId: string, count: number): Promise<readonly TreeSpan[]> =>
    eventually(async () => {
      const trace = await json('GET', `/traces/${traceId}`);
      expect(trace).toMatchObject({ span_count: count });
      return trace['spans'] as readonly TreeSpan[];
    });
  /** Returns the names of spans as nested lists. */
  const namesOf = (spans: readonly TreeSpan[]): unknown[] =>
    spans.flatMap(({ name, children }) => [name, ...(children.length === 0 ? [] : [namesOf(children)])]);

  /** Acquires the lease of the next execution of a queue. */
  async function lease(
    queueId: string,
  ): Promise<{ readonly traceparent: string; readonly tracestate: string; token: Json }> {
    const worker = await json('POST', `/worker-queues/${queueId}/start`, { hostname: 'host-1' });
    const [leased] = (await json('POST', `/workers/${String(worker['worker_id'])}/poll`, {
      wait_seconds: 20,
    })) as unknown as Json[];
    const { traceparent, tracestate, lease_token } = leased ?? {};
    return {
      traceparent: String(traceparent),
      tracestate: String(tracestate),
      token: { 'X-Lease-Token': String(lease_token) },
    };
  }

  it('continues that of its caller, through its policies and its queue, to the spans of its worker', async () => {
    const queueId = await user.newQueue('traced');
    const agentId = await user.newAgent({ name: 'writer' });
    const policy_content = 'package guard\n\nallow if input.action == "execute"';
    const { id: policy_id } = await json('POST', '/policies', { name: 'traced guard', policy_content });
    await json('POST', '/policies/associations', { policy_id, entity_type: 'agent', entity_id: agentId });
    const started = await json(
      'POST',
      `/agents/${agentId}/execute`,
      { prompt: 'Write', worker_queue_id: queueId },
      { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01`, tracestate: 'vendor=7' },
    );
    const id = String(started['execution_id'] ?? started['id']);
    expect(await json('GET', `/executions/${id}`)).toMatchObject({ trace_id: TRACE_ID });
    const first = await lease(queueId);
    expect(first).toMatchObject({ traceparent: expect.stringContaining(`00-${TRACE_ID}-`), tracestate: 'vendor=7' });
    await json('PATCH', `/executions/${id}`, { status: 'running' }, first.token);
    await json('PATCH', `/executions/${id}`, { status: 'completed', response: 'Done' }, first.token);
    const spans = await treeOf(TRACE_ID, 5);
    expect(namesOf(spans)).toEqual(['execution writer', ['trigger api', ['check policies'], 'queue', 'attempt 1']]);
    const [execution] = spans;
    expect(execution).toMatchObject({ parent_span_id: CALLER_SPAN, kind: 'CONSUMER', trace_state: 'vendor=7' });
    const [trigger, queue, attempt] = execution?.children ?? [];
    expect(trigger?.children[0]?.attributes).toEqual({ 'execution.id': id, 'platform.policy.allowed': true });
    expect(execution?.attributes).toMatchObject({ 'execution.id': id, 'platform.execution.status': 'completed' });
    expect([queue?.category, attempt?.category]).toEqual(['queue', 'lease']);
    expect(attempt?.attributes).toMatchObject({
      'platform.worker.name': 'host-1',
      'platform.attempt.outcome': 'completed',
    });
    expect(first.traceparent).toBe(`00-${TRACE_ID}-${attempt?.span_id}-01`);
    expect(await json('GET', `/traces?execution_id=${id}`)).toMatchObject({
      items: [{ trace_id: TRACE_ID, execution_id: id, status: 'success', service_name: 'control-plane' }],
    });
  });

  it('has a wait and an attempt for each lease, with the reason of a failure', async () => {
    const queueId = await user.newQueue('repeated');
    const agentId = await user.newAgent({ name: 'walker' });
    const config = { retry_policy: { max_attempts: 2, retry_on: ['failed'], backoff: { delay_seconds: 0 } } };
    const jobId = await user.newJob(agentId, {
      prompt_template: 'Walk',
      executor_type: 'specific_queue',
      worker_queue_name: 'repeated',
      config,
    });
    const { execution_id: id } = await user.trigger(jobId);
    const { trace_id } = await json('GET', `/executions/${id}`);
    const first = await lease(queueId);
    await json('PATCH', `/executions/${id}`, { status: 'running' }, first.token);
    await json('PATCH', `/executions/${id}`, { status: 'failed', error_message: 'Rain' }, first.token);
    const second = await lease(queueId);
    expect(second.traceparent).not.toBe(first.traceparent);
    await json('PATCH', `/executions/${id}`, { status: 'running' }, second.token);
    await json('PATCH', `/executions/${id}`, { status: 'failed', error_message: 'Snow' }, second.token);
    const spans = await treeOf(String(trace_id), 6);
    const inside = ['trigger manual', 'queue', 'attempt 1', 'queue', 'attempt 2'];
    expect(namesOf(spans)).toEqual(['execution walker', inside]);
    const [execution] = spans;
    const attempts = execution?.children.filter(({ category }) => category === 'lease') ?? [];
    expect([execution, ...attempts]).toMatchObject([
      { status_code: 'ERROR', status_message: 'Snow', attributes: { 'error.type': expect.any(String) } },
      { status_code: 'ERROR', status_message: 'Rain', attributes: { 'platform.attempt.outcome': 'failed' } },
      { status_code: 'ERROR', status_message: 'Snow', attributes: { 'platform.attempt.outcome': 'failed' } },
    ]);
    expect(await json('GET', `/traces/${String(trace_id)}`)).toMatchObject({ status: 'error', error_count: 3 });
  });

  it('shows that its policies denied it', async () => {
    const agentId = await user.newAgent({ name: 'denied' });
    const policy_content = 'package guard\n\nviolations contains "never"';
    const { id: policy_id } = await json('POST', '/policies', { name: 'denying guard', policy_content });
    await json('POST', '/policies/associations', { policy_id, entity_type: 'agent', entity_id: agentId });
    const id = await user.execute(agentId, 'Try');
    const { trace_id, error_message } = await json('GET', `/executions/${id}`);
    const spans = await treeOf(String(trace_id), 3);
    expect(namesOf(spans)).toEqual(['execution denied', ['trigger api', ['check policies']]]);
    const [execution] = spans;
    const [gate] = execution?.children[0]?.children ?? [];
    expect(gate?.attributes).toMatchObject({ 'platform.policy.allowed': false });
    expect(execution).toMatchObject({ status_code: 'ERROR', status_message: error_message });
  });

  it('is found before its first span by its organization only, and runs until its spans are stored', async () => {
    const queueId = await user.newQueue('announced');
    const agentId = await user.newAgent({ name: 'announced' });
    const id = await user.execute(agentId, 'Go', queueId);
    const { trace_id } = await json('GET', `/executions/${id}`);
    const path = `/traces/${String(trace_id)}`;
    const trace = await json('GET', path);
    expect(trace).toMatchObject({
      id: trace_id,
      trace_id,
      name: 'execution announced',
      execution_id: id,
      status: 'running',
      ended_at: null,
      duration_ms: null,
      span_count: 0,
      spans: [],
    });
    const started = { trace_id, started_at: trace['started_at'], duration_ns: null, spans: [] };
    expect(await json('GET', `${path}/outline`)).toMatchObject(started);
    expect(await json('GET', `${path}/spans?limit=5`)).toEqual([]);
    expect(await json('GET', `${path}/spans`)).toEqual([]);
    const { adminKey: key } = await platform.createOrganization('stranger');
    for (const one of [path, `${path}/outline`, `${path}/spans`]) {
      const { status, body } = await call('GET', `${platform.url}/api/v1${one}`, { key });
      expect([status, body]).toEqual([404, { detail: 'Trace not found' }]);
    }
    const { token } = await lease(queueId);
    await json('PATCH', `/executions/${id}`, { status: 'running' }, token);
    await json('PATCH', `/executions/${id}`, { status: 'completed' }, token);
    // An ended execution whose spans are not stored yet still runs.
    const statuses = new Set<unknown>();
    await eventually(async () => {
      const { status, span_count } = await json('GET', path);
      statuses.add(status);
      expect(span_count).toBe(4);
    });
    expect([...statuses].filter((status) => status !== 'running')).toEqual(['success']);
  });

  it('has the wait for the earlier executions of its session, which names the last one', async () => {
    const queueId = await user.newQueue('conversation');
    const agentId = await user.newAgent({ name: 'talker' });
    const start = async (): Promise<string> => {
      const body = { prompt: 'Go', session_id: 'talk', worker_queue_id: queueId };
      return String((await json('POST', `/agents/${agentId}/execute`, body))['execution_id']);
    };
    const [first, second, third, dropped] = [await start(), await start(), await start(), await start()];
    const endNext = async (id: string): Promise<void> => {
      const { token } = await lease(queueId);
      await json('PATCH', `/executions/${id}`, { status: 'running' }, token);
      await json('PATCH', `/executions/${id}`, { status: 'completed' }, token);
    };
    await endNext(first);
    const { token } = await lease(queueId);
    await json('POST', `/executions/${dropped}/cancel`);
    await json('PATCH', `/executions/${second}`, { status: 'completed' }, token);
    await endNext(third);
    const expected = [
      [first, 4, ['trigger api', 'queue', 'attempt 1'], undefined],
      [second, 5, ['trigger api', 'wait for session', 'queue', 'attempt 1'], first],
      [third, 5, ['trigger api', 'wait for session', 'queue', 'attempt 1'], second],
      [dropped, 3, ['trigger api', 'wait for session'], second],
    ] as const;
    for (const [id, count, names, waitedFor] of expected) {
      const { trace_id } = await json('GET', `/executions/${id}`);
      const spans = await treeOf(String(trace_id), count);
      expect([id, namesOf(spans)]).toEqual([id, ['execution talker', names]]);
      const [trigger, wait, queue] = spans[0]?.children ?? [];
      if (waitedFor === undefined) continue;
      expect(wait?.attributes).toMatchObject({
        'platform.session.id': 'talk',
        'platform.waited_for_execution.id': waitedFor,
      });
      expect([wait?.category, wait?.started_at, wait?.ended_at]).toEqual([
        'queue',
        trigger?.ended_at,
        queue?.started_at ?? spans[0]?.ended_at,
      ]);
    }
  });

  it('is not stored for a team without monitoring', async () => {
    const start = async (monitoring: boolean): Promise<string> => {
      const team = await json('POST', '/teams', { name: `team ${String(monitoring)}`, configuration: { monitoring } });
      const started = await json('POST', `/teams/${String(team['id'])}/execute`, { prompt: 'Go' });
      const id = String(started['execution_id']);
      const { trace_id } = await json('GET', `/executions/${id}`);
      const { span_count = null } = await json('GET', `/traces/${String(trace_id)}`);
      expect(span_count).toBe(monitoring ? 0 : null);
      await json('POST', `/executions/${id}/cancel`);
      return String(trace_id);
    };
    const unmonitored = await start(false);
    // Executions are recorded in the order in which they ended.
    await treeOf(await start(true), 3);
    expect(await json('GET', `/traces/${unmonitored}`)).toMatchObject({ detail: expect.stringContaining('not found') });
  });
});
