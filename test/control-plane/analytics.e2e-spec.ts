import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient } from '@app/api-client';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('analytics over HTTP', () => {
  let platform: Platform;
  let client: ControlPlaneClient;
  let agentId: string;
  const startedOn = dayOf(new Date());

  const get = (path: string): Promise<HttpResponse> =>
    call('GET', `${platform.url}/api/v1/analytics/${path}`, { key: platform.adminKey });
  const faultsOf = ({ status, body }: HttpResponse): unknown[] => [
    status,
    ...(body as { detail: Json[] }).detail.map(({ loc, type }) => [loc, type]),
  ];

  beforeAll(async () => {
    platform = await Platform.shared();
    client = platform.client();
    const pricing = { input_cost_per_million_tokens: 3, output_cost_per_million_tokens: 15 };
    const model = { value: 'priced', label: 'Priced', provider: 'example', pricing };
    await unwrap(client.POST('/api/v1/models', { body: model }));
    const agent = await unwrap(client.POST('/api/v1/agents', { body: { name: 'Analyst' } }));
    agentId = agent.id;
    const usage = { model: 'priced', prompt_tokens: 1000, completion_tokens: 200 };
    await run({ status: 'completed', usage });
    await run({ status: 'failed', error_message: 'Cannot open "a"' });
    await run({ status: 'failed', error_message: 'Cannot open "b"\nin detail' });
    await run({});
  });

  afterAll(() => platform.stop());

  async function run(end: Json): Promise<void> {
    const body = { prompt: 'p', entity_id: agentId, entity_name: 'Analyst' };
    const { execution_id } = await unwrap(client.POST('/api/v1/executions/create', { body }));
    const path = { execution_id };
    await unwrap(client.PATCH('/api/v1/executions/{execution_id}', { params: { path }, body: { status: 'running' } }));
    await unwrap(client.PATCH('/api/v1/executions/{execution_id}', { params: { path }, body: end }));
  }

  it('sum tokens and cost by agent, model and day', async () => {
    const usage = { input_tokens: 1000, output_tokens: 200, total_tokens: 1200, cost: 0.006 };
    const summary = await unwrap(client.GET('/api/v1/analytics/summary'));
    expect(summary).toEqual({
      total_executions: 4,
      executions_by_status: { completed: 1, failed: 2, running: 1 },
      total_tasks: 0,
      tasks_by_status: {},
      total_tool_calls: 0,
      total_turns: 0,
      ...usage,
      by_agent: [
        {
          id: agentId,
          name: 'Analyst',
          executions: 4,
          ...usage,
          executions_by_status: { completed: 1, failed: 2, running: 1 },
        },
      ],
      by_team: [],
      by_model: [{ model: 'priced', executions: 1, ...usage, executions_by_status: { completed: 1 } }],
      by_day: expect.arrayContaining([expect.objectContaining(usage)]),
      durations: expect.objectContaining({ count: 3, p50_ms: expect.any(Number) }),
    });
    // Two days if midnight has passed since the first execution.
    const days = [startedOn, dayOf(new Date())];
    expect(summary.by_day.map(({ day }) => day).filter((day) => !days.includes(day))).toEqual([]);
    const past = await unwrap(
      client.GET('/api/v1/analytics/summary', { params: { query: { time_to: '2020-01-01T00:00:00Z' } } }),
    );
    expect(past).toMatchObject({
      total_executions: 0,
      total_tokens: 0,
      by_day: [],
      durations: { count: 0, p95_ms: null },
    });
  });

  it('count starts and ends in every bucket of a period', async () => {
    const query = { bucket_seconds: 3600, entity_id: agentId, to: new Date(Date.now() + 3_600_000).toISOString() };
    const series = await unwrap(client.GET('/api/v1/analytics/executions/series', { params: { query } }));
    const sum = (field: 'started' | 'completed' | 'failed' | 'cancelled'): number =>
      series.buckets.reduce((total, bucket) => total + bucket[field], 0);
    expect([sum('started'), sum('completed'), sum('failed'), sum('cancelled')]).toEqual([4, 1, 2, 0]);
    expect(series.bucket_seconds).toBe(3600);
    expect(series.buckets.length).toBe((Date.parse(series.to) - Date.parse(series.from)) / 3_600_000);
    expect(series.buckets[0]).toEqual({
      at: series.from,
      started: 0,
      completed: 0,
      failed: 0,
      cancelled: 0,
      terminated: 0,
      wait_p95_ms: null,
      run_p50_ms: null,
      run_p95_ms: null,
    });
    const other = await unwrap(
      client.GET('/api/v1/analytics/executions/series', { params: { query: { ...query, entity_id: 'other' } } }),
    );
    expect(other.buckets.every(({ started }) => started === 0)).toBe(true);
  });

  it('group failures by cause', async () => {
    const query = { to: new Date(Date.now() + 60_000).toISOString() };
    const failures = await unwrap(client.GET('/api/v1/analytics/executions/failures', { params: { query } }));
    expect(failures).toMatchObject({ to: query.to, failed: 2, failed_before: 0 });
    expect(failures.groups).toEqual([
      {
        cause: expect.stringMatching(/^[0-9a-f]{16}$/),
        kind: 'other',
        title: 'Cannot open {text}',
        example: 'Cannot open "b"\nin detail',
        count: 2,
        count_before: 0,
        first_at: expect.any(String),
        last_at: expect.any(String),
        entities: [{ id: agentId, name: 'Analyst', count: 2 }],
        last_execution_id: expect.any(String),
      },
    ]);
  });

  it('reject invalid periods and bucket sizes, and name the field', async () => {
    const fault = (field: string, type: string): unknown[] => [422, [['query', field], type]];
    const long = 'from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z';
    expect(faultsOf(await get(`executions/series?${long}`))).toEqual(fault('to', 'value_error'));
    expect(faultsOf(await get(`executions/failures?${long}`))).toEqual(fault('to', 'value_error'));
    expect(faultsOf(await get('executions/series?bucket_seconds=61'))).toEqual(fault('bucket_seconds', 'value_error'));
    expect(faultsOf(await get('executions/series?bucket_seconds=60'))).toEqual(fault('bucket_seconds', 'value_error'));
    expect(faultsOf(await get('executions/series?bucket_seconds=x'))).toEqual(fault('bucket_seconds', 'int_parsing'));
    expect(faultsOf(await get('executions/failures?limit=51'))).toEqual(fault('limit', 'less_than_equal'));
    expect(faultsOf(await get('executions/failures?from=yesterday'))).toEqual(fault('from', 'datetime_parsing'));
    expect((await get('executions/failures?from=0001-01-01T00:00:00Z&to=0001-01-07T00:00:00Z')).status).toBe(200);
    const last = 'from=9999-12-30T00:00:00Z&to=9999-12-31T23:59:59Z';
    expect(faultsOf(await get(`executions/series?${last}`))).toEqual(fault('to', 'value_error'));
    expect((await get(`executions/failures?${last}`)).status).toBe(200);
    expect((await get('summary?time_from=0001-01-01T00:00:00Z&time_to=9999-12-31T23:59:59Z')).status).toBe(200);
  });
});

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
