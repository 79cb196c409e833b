import type { AnalyticsSummary, UsageGroup, UsageTotals } from './analytics.types.js';
import { Histogram } from './histogram.js';
import type { RecordRow, AnalyticsSummaryRows, UsageRow, UsageSums } from './analytics-summary.repository.js';

/** Composes the summary from the rows. */
export function toAnalyticsSummary({ usage, days, records }: AnalyticsSummaryRows): AnalyticsSummary {
  const durations = new Histogram();
  for (const { run } of days) durations.add(run);
  const tasks = records.filter(({ kind }) => kind === 'task');
  const named = tasks.filter(({ status }) => status !== '');
  const all = usage.filter(isOf('all'));
  return {
    total_executions: totalOf(all).executions,
    executions_by_status: statuses(all),
    total_tasks: countOf(tasks),
    tasks_by_status: Object.fromEntries(named.map(({ status, records: count }) => [status, count])),
    total_tool_calls: countOf(records.filter(({ kind }) => kind === 'tool_call')),
    total_turns: countOf(records.filter(({ kind }) => kind === 'turn')),
    ...tokensOf(totalOf(all)),
    by_agent: groups(usage.filter(isOf('agent'))),
    by_team: groups(usage.filter(isOf('team'))),
    by_model: groups(usage.filter(isOf('model'))),
    by_day: [...grouped(days, ({ day }) => day.toISOString().slice(0, 10))]
      .map(([day, rows]) => ({ day, ...usageOf(totalOf(rows)) }))
      .filter(({ executions }) => executions !== 0)
      .sort((a, b) => (a.day < b.day ? -1 : 1)),
    durations: {
      count: durations.count,
      p50_ms: durations.percentile(50),
      p90_ms: durations.percentile(90),
      p95_ms: durations.percentile(95),
      p99_ms: durations.percentile(99),
    },
  };
}

function isOf(wanted: UsageRow['kind']): (row: UsageRow) => boolean {
  return ({ kind }) => kind === wanted;
}

/** Returns the groups with the highest cost first, then with the most tokens and executions. */
function groups(rows: readonly UsageRow[]): UsageGroup[] {
  return [...grouped(rows, ({ key }) => key)]
    .map(([key, own]) => ({ key, ...usageOf(totalOf(own)), executions_by_status: statuses(own) }))
    .sort(
      (a, b) =>
        b.cost - a.cost || b.total_tokens - a.total_tokens || b.executions - a.executions || (a.key < b.key ? -1 : 1),
    );
}

function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const rowsByKey = new Map<string, T[]>();
  for (const row of rows) {
    const own = rowsByKey.get(keyOf(row));
    if (own === undefined) rowsByKey.set(keyOf(row), [row]);
    else own.push(row);
  }
  return rowsByKey;
}

function statuses(rows: readonly UsageRow[]): Record<string, number> {
  const counts = [...grouped(rows, ({ status }) => status)].map(([status, own]) => [status, totalOf(own).executions]);
  return Object.fromEntries(counts.sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1))) as Record<string, number>;
}

function totalOf(rows: readonly UsageSums[]): UsageSums {
  const sum = (value: (row: UsageSums) => number): number => rows.reduce((total, row) => total + value(row), 0);
  return {
    executions: sum(({ executions }) => executions),
    input_tokens: sum(({ input_tokens: tokens }) => tokens),
    output_tokens: sum(({ output_tokens: tokens }) => tokens),
    total_tokens: sum(({ total_tokens: tokens }) => tokens),
    cost_nanos: sum(({ cost_nanos: nanos }) => nanos),
  };
}

function usageOf(sums: UsageSums): UsageTotals {
  return { executions: sums.executions, ...tokensOf(sums) };
}

function tokensOf({
  input_tokens,
  output_tokens,
  total_tokens,
  cost_nanos,
}: UsageSums): Omit<UsageTotals, 'executions'> {
  return { input_tokens, output_tokens, total_tokens, cost: cost_nanos / 1e9 };
}

function countOf(rows: readonly RecordRow[]): number {
  return rows.reduce((total, { records }) => total + records, 0);
}
