import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setEnvironment } from '@app/config';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, type TestContext } from '@app/testing';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionsModule } from '../executions.module.js';
import { AggregationRepository } from './aggregation.repository.js';
import { MAX_NAMES } from './aggregation.sql.js';
import { daysStatement, recordsStatement, usageStatement } from './analytics-summary.sql.js';
import type { AnalyticsSummary } from './analytics.types.js';
import { ExecutionAnalyticsService } from './execution-analytics.service.js';

const DAY_MS = 86_400_000;
/** The start of a period of thirty days, for which names are admitted together. */
const MONTH = new Date(686 * 30 * DAY_MS);

interface Ended {
  /** The executions are numbered. The names of their agent and model contain the number, and their cost equals it. */
  readonly from: number;
  readonly to: number;
  readonly sign?: 1 | -1;
  readonly at?: Date;
  /** Milliseconds between two executions. */
  readonly apart?: number;
}

describe('the names in a summary', () => {
  let context: TestContext;
  let analytics: ExecutionAnalyticsService;
  let aggregates: AggregationRepository;

  beforeAll(async () => {
    // One statement aggregates more rows here than in production.
    setEnvironment({ DATABASE_STATEMENT_TIMEOUT_MS: '120000' });
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    analytics = context.get(ExecutionAnalyticsService);
    aggregates = new AggregationRepository(context.database);
  });

  afterAll(() => context.close());

  /** Writes the facts that the trigger writes when executions end; with the sign -1, when their ends are reverted. */
  const end = ({ organizationId }: Scope, { from, to, sign = 1, at = MONTH, apart = 0 }: Ended): Promise<unknown> =>
    context.database.sql(
      `INSERT INTO execution_facts (organization_id, sign, status, execution_type, entity_id, model, created_at,
        completed_at, run_ms, input_tokens, total_tokens, cost_nanos)
      SELECT $1, $4, 'completed', 'agent', 'a' || n, 'm' || n, created, created, 5, n, n, n * 1e9
      FROM generate_series($2::integer, $3) n, LATERAL (SELECT $5::timestamptz + n * $6::float8 * interval '1 millisecond' AS created) t`,
      [organizationId, from, to, sign, at, apart],
    );
  const record = ({ organizationId }: Scope, { from, to, sign = 1, at = MONTH, apart = 0 }: Ended): Promise<unknown> =>
    context.database.sql(
      `INSERT INTO record_changes (organization_id, kind, status, at, records)
      SELECT $1, 'task', 's' || n, $5::timestamptz + n * $6::float8 * interval '1 millisecond', $4
      FROM generate_series($2::integer, $3) n`,
      [organizationId, from, to, sign, at, apart],
    );

  async function aggregate(limit: number): Promise<void> {
    while ((await aggregates.aggregateFacts(limit)) > 0);
    while ((await aggregates.aggregateRecordChanges(limit)) > 0);
  }

  async function namesOf({ organizationId }: Scope): Promise<Record<string, number>> {
    const text = `SELECT kind, count(*)::integer AS names FROM analytics_names WHERE organization_id = $1 GROUP BY kind`;
    const rows = await context.database.sql<{ kind: string; names: number }>(text, [organizationId]);
    return Object.fromEntries(rows.map(({ kind, names }) => [kind, names]));
  }

  const sumTo = (n: number): number => (n * (n + 1)) / 2;
  const top = ({ by_agent, by_model }: AnalyticsSummary): readonly unknown[] =>
    [by_agent, by_model].map((groups) => groups.slice(0, 2).map(({ key, cost }) => [key, cost]));

  it('beyond the limit count only in the totals, also after executions are added, reverted and aggregated', async () => {
    const scope = { organizationId: newId() };
    const count = MAX_NAMES + 500;
    const totals = (n: number): object => ({
      total_executions: n,
      cost: sumTo(n),
      total_tokens: sumTo(n),
      total_tasks: n,
    });
    await end(scope, { from: 1, to: count });
    await record(scope, { from: 1, to: count });
    expect(await analytics.summary(scope, {})).toMatchObject(totals(count));
    await Promise.all([aggregate(400), aggregate(300)]);
    expect(await namesOf(scope)).toEqual({ agent: MAX_NAMES, model: MAX_NAMES, task: MAX_NAMES });
    const aggregated = await analytics.summary(scope, {});
    expect(aggregated).toMatchObject(totals(count));
    expect(top(aggregated)).toEqual([
      [
        [`a${MAX_NAMES}`, MAX_NAMES],
        [`a${MAX_NAMES - 1}`, MAX_NAMES - 1],
      ],
      [
        [`m${MAX_NAMES}`, MAX_NAMES],
        [`m${MAX_NAMES - 1}`, MAX_NAMES - 1],
      ],
    ]);
    expect(Object.values(aggregated.tasks_by_status)).toEqual(Array.from({ length: 100 }, () => 1));

    // Adds an execution and a task with an admitted name, and an execution and a task with a refused one. Later, all
    // earlier ones are reverted.
    await end(scope, { from: MAX_NAMES, to: MAX_NAMES + 1 });
    await record(scope, { from: MAX_NAMES, to: MAX_NAMES + 1 });
    for (const isAggregated of [false, true]) {
      if (isAggregated) await aggregate(1);
      const late = await analytics.summary(scope, {});
      const cost = sumTo(count) + 2 * MAX_NAMES + 1;
      expect(late).toMatchObject({ total_executions: count + 2, cost, total_tasks: count + 2 });
      expect(top(late)).toMatchObject(
        [[[`a${MAX_NAMES}`, 2 * MAX_NAMES]], [[`m${MAX_NAMES}`, 2 * MAX_NAMES]]].map((first) =>
          expect.arrayContaining(first),
        ),
      );
      expect(late.by_agent.map(({ key }) => key)).not.toContain(`a${MAX_NAMES + 1}`);
      expect(late.tasks_by_status).toMatchObject({ [`s${MAX_NAMES}`]: 2 });
    }
    await end(scope, { from: 1, to: count, sign: -1 });
    await record(scope, { from: 1, to: count, sign: -1 });
    await aggregate(700);
    const left = await analytics.summary(scope, {});
    expect(left).toMatchObject({ total_executions: 2, cost: 2 * MAX_NAMES + 1, total_tasks: 2 });
    expect(left.by_agent).toMatchObject([{ key: `a${MAX_NAMES}`, executions: 1 }]);
    expect(left.tasks_by_status).toEqual({ [`s${MAX_NAMES}`]: 1 });
  });

  it('are admitted again in the next thirty days', async () => {
    const scope = { organizationId: newId() };
    await end(scope, { from: 1, to: MAX_NAMES });
    await end(scope, { from: 5000, to: 5000, at: new Date(MONTH.getTime() + 30 * DAY_MS) });
    await end(scope, { from: 6000, to: 6000 });
    await aggregate(1000);
    const { by_agent } = await analytics.summary(scope, {});
    expect(by_agent.slice(0, 2).map(({ key }) => key)).toEqual(['a5000', `a${MAX_NAMES}`]);
  });

  it('are read in limited numbers in any period, even if there are 30,000', async () => {
    const scope = { organizationId: 'many-names' };
    const size = { from: 1, to: 30_000, apart: (90 * DAY_MS) / 30_000 };
    await end(scope, size);
    await record(scope, size);
    await aggregate(10_000);
    await context.database.sql('ANALYZE');
    const ragged = { from: new Date(MONTH.getTime() + 3_700_000), to: new Date(MONTH.getTime() + 80.3 * DAY_MS) };
    for (const filter of [{}, ragged]) {
      let read = 0;
      for (const statement of [usageStatement, daysStatement, recordsStatement]) {
        const { text, values } = statement(scope.organizationId, filter);
        const plan = await context.database.sql<{ 'QUERY PLAN': string }>(
          `EXPLAIN (ANALYZE, TIMING OFF) ${text}`,
          values,
        );
        const rows = plan.map((line) =>
          /(?:Seq|Heap|Only|(?<!Bitmap )Index) Scan.* on .*actual rows=(\d+)(?:\.\d+)? loops=(\d+)/.exec(
            line['QUERY PLAN'],
          ),
        );
        read += rows.reduce((sum, found) => sum + Number(found?.[1] ?? 0) * Number(found?.[2] ?? 0), 0);
      }
      // At most three periods of thirty days, each with agents, models and statuses of tasks.
      expect(read).toBeGreaterThan(3 * MAX_NAMES);
      expect(read).toBeLessThan(15 * MAX_NAMES);
    }
    expect(await analytics.summary(scope, {})).toMatchObject({ total_executions: 30_000, cost: sumTo(30_000) });
  });
});
