import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type JsonObject, type Scope } from '@app/kernel';
import { ModelService } from '@app/models';
import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionService } from '../executions/execution.service.js';
import { FINAL_STATUSES } from '../executions/execution-state.js';
import { ExecutionsModule } from '../executions.module.js';
import { TaskRecordService } from '../task-records/task-record.service.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { AggregationRepository } from './aggregation.repository.js';
import type { AnalyticsSummary, AnalyticsSummaryFilter } from './analytics.types.js';
import { ExecutionAnalyticsService } from './execution-analytics.service.js';
import { daysStatement, recordsStatement, usageStatement } from './analytics-summary.sql.js';
import { costOf, readUsage } from '../usage/usage-columns.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PRICING = { input: 3, output: 15 };

interface Row {
  readonly status: string;
  readonly execution_type: string;
  readonly entity_id: string | null;
  readonly usage: JsonObject;
  readonly created_at: Date;
}

describe('the summary', () => {
  const clock = new ManualClock(new Date('2026-05-05T10:20:30.400Z'));
  let context: TestContext;
  let executions: ExecutionService;
  let tasks: TaskRecordService;
  let analytics: ExecutionAnalyticsService;
  let aggregates: AggregationRepository;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule], { clock });
    executions = context.get(ExecutionService);
    tasks = context.get(TaskRecordService);
    analytics = context.get(ExecutionAnalyticsService);
    aggregates = new AggregationRepository(context.database);
  });

  afterAll(() => context.close());

  const aggregate = async (limit: number): Promise<number> =>
    (await aggregates.aggregateFacts(limit)) + (await aggregates.aggregateRecordChanges(limit));

  async function newScope(): Promise<Scope> {
    const scope = { organizationId: newId() };
    const model = { value: 'priced', label: 'Priced', provider: 'p', pricing: PRICING };
    await context.get(ModelService).create(scope, model);
    return scope;
  }

  async function start(scope: Scope, type: 'agent' | 'team', entityId: string): Promise<string> {
    const { id } = await executions.start(scope, { ...startRequest(newId()), executionType: type, entityId });
    return id;
  }

  const usage = fc.record({
    model: fc.constantFrom('priced', 'unpriced'),
    prompt_tokens: fc.nat({ max: 10_000 }),
    completion_tokens: fc.nat({ max: 10_000 }),
  });
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('start' as const),
        type: fc.constantFrom('agent', 'team'),
        entity: fc.constantFrom('a', 'b'),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('end' as const),
        status: fc.constantFrom(...FINAL_STATUSES),
        usage: fc.option(usage),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('use' as const), late: fc.boolean(), usage }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('record' as const),
        task: fc.constantFrom('t1', 't2', 't3'),
        status: fc.constantFrom('pending', 'running', 'completed'),
        call: fc.constantFrom('c1', 'c2'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('aggregate' as const), limit: fc.integer({ min: 1, max: 5 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('wait' as const),
        ms: fc.oneof(fc.nat({ max: 2 * HOUR_MS }), fc.nat({ max: 20 * DAY_MS })),
      }),
    },
  );

  it('equals a naive computation from the rows for random histories and periods, whenever facts are aggregated', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 35 }),
        fc.record({
          from: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
          to: fc.option(fc.double({ min: 0, max: 1.2, noNaN: true })),
        }),
        async (steps, bounds) => {
          const scope = await newScope();
          const began = clock.millis();
          const open: string[] = [];
          const ended: string[] = [];
          for (const each of steps) {
            const target = open[0] ?? ended[0];
            if (each.do === 'start') open.push(await start(scope, each.type, each.entity));
            if (each.do === 'wait') clock.advance(each.ms);
            if (each.do === 'aggregate') await aggregate(each.limit);
            if (each.do === 'end' && open[0] !== undefined) {
              const report = each.usage === null ? {} : { usage: each.usage };
              await executions.patch(scope, open[0], { status: each.status, ...report }, null);
              ended.push(...open.splice(0, 1));
            }
            const used = each.do === 'use' ? (each.late ? ended[0] : open[0]) : undefined;
            if (each.do === 'use' && used !== undefined)
              await executions.patch(scope, used, { usage: each.usage }, null);
            if (each.do === 'record' && target !== undefined) {
              const batch = {
                tasks: [{ task_id: each.task, status: each.status }],
                tool_calls: [{ id: each.call }],
                turns: [],
              };
              await tasks.saveBatch(scope, target, batch, null);
            }
          }
          const at = (share: number): Date => new Date(Math.round(began + share * (clock.millis() - began)));
          const filter = {
            ...(bounds.from === null ? {} : { from: at(bounds.from) }),
            ...(bounds.to === null ? {} : { to: at(bounds.to) }),
          };
          await expectNaive(scope, filter);
          if (ended[0] !== undefined) await expectNaive(scope, { executionId: ended[0] });
          clock.advance(1);
        },
      ),
      { numRuns: 60 },
    );
  });

  async function expectNaive(scope: Scope, filter: AnalyticsSummaryFilter): Promise<void> {
    const summary = await analytics.summary(scope, filter);
    const isIn = (at: Date): boolean =>
      at >= (filter.from ?? new Date(0)) && (filter.to === undefined || at < filter.to);
    const only = (id: string): string =>
      filter.executionId === undefined ? '' : ` AND ${id} = '${filter.executionId}'`;
    const read = async <T extends { readonly created_at: Date }>(
      columns: string,
      table: string,
      id: string,
    ): Promise<T[]> => {
      const text = `SELECT ${columns}, created_at FROM ${table} WHERE organization_id = $1${only(id)}`;
      return (await context.database.sql<T>(text, [scope.organizationId])).filter((row) => isIn(row.created_at));
    };
    const rows = await read<Row>('status, execution_type, entity_id, usage', 'executions', 'id');
    const taskRows = await read<{ status: string; created_at: Date }>('status', 'task_records', 'execution_id');
    const calls = await read<{ created_at: Date }>('record_id', 'execution_records', 'execution_id');
    expect(summary).toMatchObject({
      total_executions: rows.length,
      executions_by_status: countBy(rows, ({ status }) => status),
      total_tasks: taskRows.length,
      tasks_by_status: countBy(taskRows, ({ status }) => status),
      total_tool_calls: calls.length,
      total_turns: 0,
      ...naiveUsage(rows),
    });
    expectGroups(
      summary.by_agent,
      rows.filter((row) => row.execution_type === 'agent'),
      (row) => row.entity_id,
    );
    expectGroups(
      summary.by_team,
      rows.filter((row) => row.execution_type === 'team'),
      (row) => row.entity_id,
    );
    expectGroups(summary.by_model, rows, (row) => readUsage(row.usage).model);
    expect(summary.by_day).toEqual(
      Object.keys(countBy(rows, dayOf))
        .sort()
        .map((day) => ({
          day,
          executions: rows.filter((row) => dayOf(row) === day).length,
          ...naiveUsage(rows.filter((row) => dayOf(row) === day)),
        })),
    );
  }

  it('has durations of the executions that ended, and still includes deleted executions and records', async () => {
    const scope = await newScope();
    for (const seconds of [1, 2, 3, 4, 100]) {
      const id = await start(scope, 'agent', 'a');
      await executions.patch(scope, id, { status: 'running' }, null);
      await tasks.saveBatch(scope, id, { tasks: [{}], tool_calls: [{}], turns: [{}] }, null);
      clock.advance(seconds * 1000);
      await executions.patch(scope, id, { status: 'completed', usage: { model: 'priced', prompt_tokens: 10 } }, null);
    }
    const before = await analytics.summary(scope, {});
    expect(before.durations.count).toBe(5);
    expect(before.durations.p50_ms).toBeGreaterThan(2940);
    expect(before.durations.p50_ms).toBeLessThan(3060);
    expect(before.durations.p99_ms).toBeGreaterThan(98_000);
    expect(before).toMatchObject({ cost: 0.00015, by_model: [{ key: 'priced', cost: 0.00015 }], total_tasks: 5 });
    while ((await aggregate(1000)) > 0);
    expect(await analytics.summary(scope, {})).toEqual(before);
    for (const table of ['executions', 'task_records', 'execution_records']) {
      await context.database.sql(`DELETE FROM ${table} WHERE organization_id = $1`, [scope.organizationId]);
    }
    expect(await analytics.summary(scope, {})).toEqual(before);
    expect(await analytics.summary(scope, { from: new Date(0), to: new Date(clock.millis() + DAY_MS) })).toEqual(
      before,
    );
    expect(await analytics.summary({ organizationId: newId() }, {})).toMatchObject({
      total_executions: 0,
      by_agent: [],
    });
  });

  it('reads only the agents, models and statuses that it returns, and counts all', async () => {
    const scope = { organizationId: newId() };
    const started = await start(scope, 'agent', 'a1');
    await tasks.saveBatch(scope, started, { tasks: [{ status: 'pending' }], tool_calls: [], turns: [] }, null);
    await context.database.sql(
      `INSERT INTO executions (organization_id, id, execution_type, entity_id, status, usage, execution_metadata,
        participants, created_at, completed_at, updated_at, trigger_metadata, config, execution_environment, attempt,
        max_attempts, model, input_tokens, output_tokens, total_tokens, cost_nanos)
      SELECT organization_id, 'e' || n, 'agent', 'a' || n, 'completed', '{}', '{}', '[]', created_at, created_at, updated_at,
        '{}', '{}', '{}', 1, 3, 'm' || n, n, n, 2 * n, 1000 * n FROM executions, generate_series(1, 300) n WHERE id = $1`,
      [started],
    );
    await context.database.sql(
      `INSERT INTO task_records (organization_id, execution_id, task_id, id, status, metadata, created_at, updated_at)
      SELECT organization_id, execution_id, 't' || n, id || n, 's' || n, '{}', created_at, updated_at
      FROM task_records, generate_series(1, 300) n WHERE execution_id = $1`,
      [started],
    );
    for (let round = 0; round < 2; round += 1) {
      const summary = await analytics.summary(scope, {});
      expect(summary).toMatchObject({ total_executions: 301, total_tokens: 90_300, total_tasks: 301 });
      expect(summary.executions_by_status).toEqual({ completed: 300, pending: 1 });
      expect(Object.keys(summary.tasks_by_status)).toHaveLength(100);
      expect(summary.by_agent.map(({ key }) => key)).toEqual(Array.from({ length: 100 }, (_none, n) => `a${300 - n}`));
      expect(summary.by_model).toHaveLength(100);
      const { text, values } = usageStatement(scope.organizationId, {});
      expect(await context.database.sql(text, values)).toHaveLength(202);
      while ((await aggregate(1000)) > 0);
    }
  });

  it('keeps the cost of the prices at the time of the report', async () => {
    const scope = await newScope();
    const id = await start(scope, 'agent', 'a');
    const models = context.get(ModelService);
    await executions.patch(
      scope,
      id,
      { status: 'completed', usage: { model: 'priced', prompt_tokens: 1_000_000 } },
      null,
    );
    await models.update(scope, 'priced', { pricing: { input: 30 } });
    expect((await analytics.summary(scope, {})).cost).toBe(3);
  });

  it('reads no executions or records of hours that the period covers completely', async () => {
    const scope = { organizationId: 'explained' };
    await context.database.sql(`INSERT INTO executions (organization_id, id, execution_type, entity_id, status, usage,
        execution_metadata, participants, created_at, updated_at, trigger_metadata, config, execution_environment, attempt,
        max_attempts)
      SELECT 'explained', 'e' || n, 'agent', 'a' || n % 20, 'completed', '{}', '{}', '[]', now() - n * interval '1 minute',
        now(), '{}', '{}', '{}', 1, 3 FROM generate_series(1, 20000) n`);
    await context.database.sql(`INSERT INTO task_records (organization_id, execution_id, task_id, id, status, metadata,
        created_at, updated_at)
      SELECT 'explained', 'e' || n, 't', 'explained' || n, 'completed', '{}', now() - n * interval '1 minute', now()
      FROM generate_series(1, 20000) n`);
    while ((await aggregate(1000)) > 0);
    await context.database.sql('ANALYZE');
    for (const filter of [{}, { from: new Date(Date.now() - 10 * DAY_MS - 1), to: new Date(Date.now() - DAY_MS) }]) {
      for (const statement of [usageStatement, daysStatement, recordsStatement]) {
        const { text, values } = statement(scope.organizationId, filter);
        const lines = await context.database.sql<{ 'QUERY PLAN': string }>(
          `EXPLAIN (ANALYZE, TIMING OFF) ${text}`,
          values,
        );
        const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
        expect(plan).not.toMatch(/Seq Scan on (executions|task_records)/);
        const read = [...plan.matchAll(/on (?:executions|task_records).*?rows=(\d+)(?:\.\d+)? loops/g)];
        expect(read.map(([, rows]) => Number(rows)).filter((rows) => rows > 60)).toEqual([]);
      }
    }
  });
});

function dayOf({ created_at }: Row): string {
  return created_at.toISOString().slice(0, 10);
}

function countBy<T>(rows: readonly T[], keyOf: (row: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[keyOf(row)] = (counts[keyOf(row)] ?? 0) + 1;
  return counts;
}

function naiveUsage(rows: readonly Row[]): object {
  const usages = rows.map((row) => readUsage(row.usage));
  const sum = (values: readonly (number | null)[]): number =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const nanos = sum(usages.map((usage) => (usage.model === 'priced' ? costOf(usage, PRICING) : null)));
  return {
    input_tokens: sum(usages.map((usage) => usage.input_tokens)),
    output_tokens: sum(usages.map((usage) => usage.output_tokens)),
    total_tokens: sum(usages.map((usage) => usage.total_tokens)),
    cost: nanos / 1e9,
  };
}

function expectGroups(
  groups: AnalyticsSummary['by_agent'],
  rows: readonly Row[],
  keyOf: (row: Row) => string | null,
): void {
  const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => (a.key < b.key ? -1 : 1);
  const keys = [...new Set(rows.map(keyOf))].filter((key) => key !== null);
  const expected = keys.map((key) => {
    const own = rows.filter((row) => keyOf(row) === key);
    return {
      key,
      executions: own.length,
      ...naiveUsage(own),
      executions_by_status: countBy(own, ({ status }) => status),
    };
  });
  expect([...groups].sort(byKey)).toEqual(expected.sort(byKey));
}
