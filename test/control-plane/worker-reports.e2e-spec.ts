import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

interface Leased {
  readonly execution_id: string;
  readonly lease_token: string;
}

interface Outcome extends Json {
  readonly status: number;
}

describe('reports of a worker in one request', () => {
  let platform: Platform;
  let workerId: string;
  let queueId: string;
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    queueId = (await json('POST', '/environments/default/worker-queues', { name: 'reports' }))['id'] as string;
    workerId = (await json('POST', `/worker-queues/${queueId}/start`))['worker_id'] as string;
    agentId = (await json('POST', '/agents', { name: 'reporter' }))['id'] as string;
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown, headers = {}): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, scheme: 'UserKey', body, headers });

  const json = async (method: string, path: string, body?: unknown): Promise<Json> =>
    (await send(method, path, body)).body as Json;

  const report = async (...reports: unknown[]): Promise<Outcome[]> => {
    const response = await send('POST', `/workers/${workerId}/reports`, { reports });
    expect(response.status).toBe(200);
    return (response.body as { outcomes: Outcome[] }).outcomes;
  };

  const statuses = (outcomes: readonly Outcome[]): number[] => outcomes.map(({ status }) => status);

  async function newLeased(): Promise<Leased> {
    await json('POST', `/agents/${agentId}/execute`, { prompt: 'Go', worker_queue_id: queueId });
    const [lease] = (await send('POST', `/workers/${workerId}/poll`, { max: 1, wait_seconds: 20 })).body as Json[];
    if (lease === undefined) throw new Error('The execution was not leased');
    return { execution_id: (lease['execution'] as { id: string }).id, lease_token: lease['lease_token'] as string };
  }

  const read = (id: string): Promise<Json> => json('GET', `/executions/${id}`);

  it('apply in order to each execution, whatever they report', async () => {
    const [one, other] = [await newLeased(), await newLeased()];
    const outcomes = await report(
      { ...one, update: { status: 'running' } },
      { ...other, update: { status: 'running' } },
      { ...one, event: { event_type: 'note', data: { n: 1 }, idempotency_key: 'first' } },
      { ...one, messages: { messages: [{ message_id: 'm', role: 'assistant', content: 'Hello' }] } },
      { ...one, update: { status: 'completed', response: 'done', usage: { total_tokens: 3 } } },
      { ...other, update: { response: 'partial' } },
    );
    expect(outcomes).toMatchObject([
      { status: 200, execution_status: 'running', error: null, error_code: null },
      { status: 200, execution_status: 'running' },
      { status: 200, event_id: expect.stringContaining(one.execution_id), execution_status: null },
      { status: 200, message_count: 1 },
      { status: 200, execution_status: 'completed' },
      { status: 200, execution_status: 'running' },
    ]);
    expect(await read(one.execution_id)).toMatchObject({ status: 'completed', response: 'done' });
    expect(await read(other.execution_id)).toMatchObject({ status: 'running', response: 'partial' });
  });

  it('each have their own outcome: faulty, stale, missing and refused ones hold back no other', async () => {
    const [good, ended, faulty] = [await newLeased(), await newLeased(), await newLeased()];
    await report({ ...ended, update: { status: 'completed' } });
    const outcomes = await report(
      { ...faulty, update: { status: 'undecided' } },
      { ...faulty, update: { response: 'not storable: \u0000' } },
      faulty,
      'no report',
      { ...good, lease_token: 'stale', update: { status: 'failed' } },
      { ...good, execution_id: 'unknown', event: { event_type: 'note', idempotency_key: 'k' } },
      { ...ended, update: { status: 'running' } },
      { ...faulty, messages: { messages: [{ role: 'assistant' }] } },
      { ...good, event: { event_type: 'note' } },
      { ...good, update: { status: 'running' } },
    );
    expect(statuses(outcomes)).toEqual([422, 422, 422, 422, 409, 404, 409, 422, 422, 200]);
    expect(outcomes).toMatchObject([
      { error_code: 'request_invalid', error: { detail: [{ loc: ['body', 'reports', '0', 'update', 'status'] }] } },
      { error_code: 'request_invalid', error: { detail: [{ loc: ['body', 'reports', '1', 'update', 'response'] }] } },
      { error: { detail: [{ loc: ['body', 'reports', '2'] }] } },
      { error: { detail: [{ loc: ['body', 'reports', '3'], type: 'dict_type' }] } },
      { error_code: 'lease_lost', error: { detail: expect.stringContaining('stale') } },
      { error_code: 'execution_not_found' },
      { error_code: 'execution_transition_refused' },
      { error: { detail: [{ loc: ['body', 'reports', '7', 'messages', 'messages', '0', 'message_id'] }] } },
      { error: { detail: [{ loc: ['body', 'reports', '8', 'event', 'idempotency_key'], type: 'missing' }] } },
      { execution_status: 'running' },
    ]);
    expect(await read(good.execution_id)).toMatchObject({ status: 'running' });
    expect(await read(faulty.execution_id)).toMatchObject({ status: 'pending', response: null });
  });

  it('change nothing when they are repeated, together or alone', async () => {
    const run = await newLeased();
    const event = { event_type: 'note', data: { n: 1 }, timestamp: '2026-01-02T03:04:05.000Z' };
    const reports = [
      { ...run, update: { status: 'running' } },
      { ...run, event: { ...event, idempotency_key: 'once' } },
      { ...run, messages: { messages: [{ message_id: 'm', role: 'user', content: 'Hello' }] } },
      { ...run, update: { usage: { total_tokens: 3 } } },
    ];
    const first = await report(...reports);
    expect(await report(...reports)).toEqual(first);
    const alone = await send('POST', `/executions/${run.execution_id}/events`, event, {
      'X-Lease-Token': run.lease_token,
      'Idempotency-Key': 'once',
    });
    expect([alone.headers.get('idempotent-replayed'), (alone.body as Json)['event_id']]).toEqual([
      'true',
      first[1]?.['event_id'],
    ]);
    expect(statuses(await report({ ...run, event: { ...event, data: {}, idempotency_key: 'once' } }))).toEqual([422]);
    expect(statuses(await report({ ...run, update: { status: 'completed' } }))).toEqual([200]);
    expect(statuses(await report({ ...run, update: { status: 'completed' } }))).toEqual([200]);
  });

  it('are refused as a whole for an unknown worker, above 64, and without a list', async () => {
    const unknown = '01900000-0000-7000-8000-000000000000';
    expect((await send('POST', `/workers/${unknown}/reports`, { reports: [] })).status).toBe(404);
    const tooMany = await send('POST', `/workers/${workerId}/reports`, {
      reports: Array.from({ length: 65 }, () => ({})),
    });
    expect([tooMany.status, tooMany.body]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'reports'], type: 'too_long' }] },
    ]);
    expect((await send('POST', `/workers/${workerId}/reports`, {})).status).toBe(422);
    expect(await report()).toEqual([]);
  });

  it('name the fields that have no effect', async () => {
    const reports = [{ execution_id: 'x', lease_token: 't', update: { statsu: 'running' }, extra: 1 }];
    const response = await send('POST', `/workers/${workerId}/reports`, { reports });
    expect(response.headers.get('x-ignored-fields')).toBe('reports.0.extra, reports.0.update.statsu');
  });
});
