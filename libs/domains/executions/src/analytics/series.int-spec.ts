import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionService } from '../executions/execution.service.js';
import { FINAL_STATUSES } from '../executions/execution-state.js';
import { ExecutionsModule } from '../executions.module.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { AggregationRepository } from './aggregation.repository.js';
import type { AnalyticsFilter, SeriesBucket } from './analytics.types.js';
import { ExecutionAnalyticsService } from './execution-analytics.service.js';
import { BUCKET_SECONDS, KEPT_DAYS } from './series.js';
import { FIND_SERIES } from './series.sql.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ENTITIES = ['a', 'b'];
const JOBS = ['j', null];
const QUEUES = ['q', 'r'];

/** An execution, as the naive computation reads it. */
interface Row {
  readonly id: string;
  readonly status: string;
  readonly entity_id: string | null;
  readonly job_id: string | null;
  readonly worker_queue_id: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
  readonly duration_ms: number | null;
}

describe('the series of executions', () => {
  const clock = new ManualClock(new Date('2026-05-05T00:00:00.000Z'));
  let context: TestContext;
  let executions: ExecutionService;
  let analytics: ExecutionAnalyticsService;
  let aggregates: AggregationRepository;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule], { clock });
    executions = context.get(ExecutionService);
    analytics = context.get(ExecutionAnalyticsService);
    aggregates = new AggregationRepository(context.database);
  });

  afterAll(() => context.close());

  async function rowsOf({ organizationId }: Scope): Promise<Row[]> {
    const columns = 'id, status, entity_id, job_id, worker_queue_id, created_at, started_at, completed_at, duration_ms';
    return context.database.sql<Row>(`SELECT ${columns} FROM executions WHERE organization_id = $1`, [organizationId]);
  }

  async function start(scope: Scope, [entity, job, queue]: readonly number[]): Promise<string> {
    const { id } = await executions.start(scope, {
      ...startRequest(QUEUES[queue ?? 0] ?? ''),
      entityId: ENTITIES[entity ?? 0] ?? null,
      jobId: JOBS[job ?? 0] ?? null,
    });
    return id;
  }

  type Step =
    | { readonly do: 'start'; readonly as: readonly number[] }
    | { readonly do: 'run' | 'resume' | 'aggregate' | 'late' | 'prune' }
    | { readonly do: 'end'; readonly status: (typeof FINAL_STATUSES)[number]; readonly given: number | null }
    | { readonly do: 'wait'; readonly ms: number };

  const choice = fc.nat({ max: 1 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('start' as const), as: fc.tuple(choice, choice, choice) }) },
    {
      weight: 4,
      arbitrary: fc.constantFrom<Step>(
        { do: 'run' },
        { do: 'run' },
        { do: 'aggregate' },
        { do: 'late' },
        { do: 'prune' },
      ),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('end' as const),
        status: fc.constantFrom(...FINAL_STATUSES),
        given: fc.option(fc.integer({ min: -5 * MINUTE_MS, max: 5 * MINUTE_MS })),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 3 * MINUTE_MS }) }),
    },
  );

  it('equals a naive computation from the rows for random histories, whenever facts are aggregated, and after the rows are deleted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.constantFrom(...BUCKET_SECONDS),
        fc.record(
          {
            entityId: fc.constantFrom(...ENTITIES),
            jobId: fc.constant('j'),
            workerQueueId: fc.constantFrom(...QUEUES),
          },
          { requiredKeys: [] },
        ),
        async (steps, bucketSeconds, filter) => {
          const scope = { organizationId: newId() };
          const from = clock.now();
          const open: string[] = [];
          const ended: string[] = [];
          const deleted: Row[] = [];
          for (const each of steps) {
            const [first] = open;
            if (each.do === 'start') open.push(await start(scope, each.as));
            if (each.do === 'wait') clock.advance(each.ms);
            if (each.do === 'aggregate') await aggregates.aggregateFacts(3);
            if (each.do === 'run' && first !== undefined) {
              await executions.patch(scope, first, { status: 'running' }, null);
              open.push(...open.splice(0, 1));
            }
            if (each.do === 'end' && first !== undefined) {
              const given = each.given === null ? {} : { completed_at: new Date(clock.millis() + each.given) };
              await executions.patch(scope, first, { status: each.status, ...given }, null);
              ended.push(...open.splice(0, 1));
            }
            if (each.do === 'late' && ended[0] !== undefined) {
              await executions.patch(scope, ended[0], { completed_at: new Date(clock.millis() - MINUTE_MS) }, null);
            }
            if (each.do === 'prune') {
              deleted.push(...(await rowsOf(scope)).filter(({ id }) => ended.includes(id)));
              const text = 'DELETE FROM executions WHERE organization_id = $1 AND id = ANY($2)';
              await context.database.sql(text, [scope.organizationId, ended.splice(0)]);
            }
          }
          const to = new Date(clock.millis() + 10 * MINUTE_MS);
          const requested = { from: new Date(from.getTime() - 10 * MINUTE_MS), to, bucketSeconds };
          const series = await analytics.series(scope, requested, filter);
          expectNaive(series.buckets, bucketSeconds, [...(await rowsOf(scope)), ...deleted], filter);
          clock.advance(MINUTE_MS);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('equals a naive computation in the same snapshot while executions end and facts are aggregated', async () => {
    const scope = { organizationId: newId() };
    const from = clock.now();
    const written = new AbortController();
    const writers = Array.from({ length: 4 }, async (_nothing, index) => {
      for (let round = 0; round < 25; round += 1) {
        const id = await start(scope, [index % 2, round % 2, 0]);
        await executions.patch(scope, id, { status: 'running' }, null);
        clock.advance(1234);
        await executions.patch(scope, id, { status: round % 3 === 0 ? 'failed' : 'completed' }, null);
        await executions.patch(scope, id, { completed_at: clock.now(), usage: { total_tokens: round } }, null);
      }
    });
    const aggregators = [0, 1].map(async () => {
      while (!written.signal.aborted) await aggregates.aggregateFacts(7);
    });
    const reader = (async (): Promise<number> => {
      for (let reads = 1; ; reads += 1) {
        await context.database.transaction(async () => {
          await context.database.sql('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
          const to = new Date(clock.millis() + MINUTE_MS);
          const { buckets } = await analytics.series(scope, { from, to, bucketSeconds: 60 }, { entityId: 'a' });
          expectNaive(buckets, 60, await rowsOf(scope), { entityId: 'a' });
        });
        if (written.signal.aborted) return reads;
      }
    })();
    await Promise.all(writers);
    written.abort();
    await Promise.all(aggregators);
    expect(await reader).toBeGreaterThan(3);
    while ((await aggregates.aggregateFacts(1000)) > 0);
    const { buckets } = await analytics.series(
      scope,
      { from, to: new Date(clock.millis() + 1), bucketSeconds: 60 },
      {},
    );
    expect(buckets.reduce((sum, { completed, failed }) => sum + completed + failed, 0)).toBe(100);
  });

  it('contains empty buckets, chooses their size, and rejects too many buckets and buckets past their retention', async () => {
    const scope = { organizationId: newId() };
    const to = clock.now();
    const days = (count: number): Date => new Date(to.getTime() - count * DAY_MS);
    const sizeOf = async (from: Date): Promise<number> =>
      (await analytics.series(scope, { from, to }, {})).bucketSeconds;
    expect(await Promise.all([0.1, 1, 4, 14, 92].map((count) => sizeOf(days(count))))).toEqual([
      60, 300, 900, 3600, 21_600,
    ]);
    const day = await analytics.series(scope, { from: days(1), to, bucketSeconds: 3600 }, {});
    expect(day.buckets.length).toBe((day.to.getTime() - day.from.getTime()) / 3_600_000);
    expect(day.buckets[0]).toEqual({
      ...{ at: day.from, started: 0, completed: 0, failed: 0, cancelled: 0, terminated: 0 },
      ...{ wait_p95_ms: null, run_p50_ms: null, run_p95_ms: null },
    });
    const series = (from: Date, until: Date, bucketSeconds?: number): Promise<unknown> =>
      analytics.series(scope, { from, to: until, ...(bucketSeconds === undefined ? {} : { bucketSeconds }) }, {});
    await expect(series(days(92.1), to)).rejects.toThrow('at most 92 days');
    await expect(series(days(1), to, 120)).rejects.toThrow('one of 60, 300, 900, 3600, 21600, 86400');
    await expect(series(days(1), to, 60)).rejects.toThrow('at most 400');
    await expect(series(days(20), days(19.9), 60)).rejects.toThrow('kept for 14 days');
    await expect(series(days(20), days(19.9))).resolves.toMatchObject({ bucketSeconds: 900 });
    await expect(series(days(2000), days(1999))).resolves.toMatchObject({ bucketSeconds: 21_600 });
  });

  it('deletes small buckets after their retention, and keeps large ones', async () => {
    const scope = { organizationId: newId() };
    const id = await start(scope, [0, 0, 0]);
    await executions.patch(scope, id, { status: 'cancelled' }, null);
    while ((await aggregates.aggregateFacts(1000)) > 0);
    const sizes = async (): Promise<number[]> => {
      const text = 'SELECT DISTINCT seconds FROM execution_series WHERE organization_id = $1 ORDER BY 1';
      const rows = await context.database.sql<{ seconds: number }>(text, [scope.organizationId]);
      return rows.map(({ seconds }) => seconds);
    };
    expect(await sizes()).toEqual([60, 900, 21_600]);
    const now = new Date(clock.millis() + 15 * DAY_MS);
    for (const [seconds, days] of Object.entries(KEPT_DAYS)) {
      await aggregates.pruneSeries(Number(seconds), new Date(now.getTime() - days * DAY_MS), 1000);
    }
    expect(await sizes()).toEqual([900, 21_600]);
  });

  it('is read from the primary keys of its tables and an index of open executions', async () => {
    const fill = `INSERT INTO executions (organization_id, id, execution_type, entity_id, status, usage, execution_metadata,
        participants, created_at, started_at, completed_at, updated_at, trigger_metadata, config, execution_environment,
        attempt, max_attempts)
      SELECT 'explained', 'e' || n, 'agent', 'a' || n % 50, CASE WHEN n % 100 = 0 THEN 'running' ELSE 'completed' END, '{}',
        '{}', '[]', now(), now() - n * interval '1 minute', now() - n * interval '1 minute', now(), '{}', '{}', '{}', 1, 3
      FROM generate_series(1, 20000) n`;
    await context.database.sql(fill);
    while ((await aggregates.aggregateFacts(1000)) > 0);
    await context.database.sql('ANALYZE');
    const values = ['explained', 900, new Date(Date.now() - DAY_MS), new Date(), 900, 7, null, null, null];
    const lines = await context.database.sql<{ 'QUERY PLAN': string }>(`EXPLAIN ${FIND_SERIES}`, values);
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/pk_execution_series/);
    expect(plan).toMatch(/ix_executions_organization_id_open/);
    expect(plan).not.toMatch(/Seq Scan on executions|Seq Scan on execution_series/);
  });
});

/** Compares buckets with those computed from all rows: counts must be equal, percentiles may deviate by 2 % or 1 ms. */
function expectNaive(
  buckets: readonly SeriesBucket[],
  bucketSeconds: number,
  rows: readonly Row[],
  filter: AnalyticsFilter,
): void {
  const chosen = rows.filter(
    (row) =>
      (filter.entityId === undefined || row.entity_id === filter.entityId) &&
      (filter.jobId === undefined || row.job_id === filter.jobId) &&
      (filter.workerQueueId === undefined || row.worker_queue_id === filter.workerQueueId),
  );
  for (const bucket of buckets) {
    const isIn = (at: Date | null): boolean =>
      at !== null && Math.floor(at.getTime() / (bucketSeconds * 1000)) * bucketSeconds * 1000 === bucket.at.getTime();
    const started = chosen.filter((row) => isIn(row.started_at));
    const ended = chosen.filter(
      (row) => isIn(row.completed_at) && (FINAL_STATUSES as readonly string[]).includes(row.status),
    );
    const count = (status: string): number => ended.filter((row) => row.status === status).length;
    expect(bucket).toMatchObject({
      ...{ started: started.length, completed: count('completed'), failed: count('failed') },
      ...{ cancelled: count('cancelled'), terminated: count('terminated') },
    });
    const waits = started.map((row) => Math.max(0, (row.started_at?.getTime() ?? 0) - row.created_at.getTime()));
    const runs = ended.flatMap(({ started_at: from, completed_at: to, duration_ms: reported }) =>
      from === null || to === null ? [reported ?? []].flat() : [reported ?? Math.max(0, to.getTime() - from.getTime())],
    );
    expectClose(bucket.wait_p95_ms, percentile(waits, 95));
    expectClose(bucket.run_p50_ms, percentile(runs, 50));
    expectClose(bucket.run_p95_ms, percentile(runs, 95));
  }
}

function percentile(values: readonly number[], percent: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? null;
}

function expectClose(actual: number | null, exact: number | null): void {
  if (exact === null || actual === null) expect(actual).toBe(exact);
  else expect(Math.abs(actual - exact)).toBeLessThanOrEqual(Math.max(1, 0.02 * exact + 0.5));
}
