import type { Statement } from '@app/database';
import { IS_OPEN } from '../executions/execution-state.sql.js';
import { duration } from '../executions/execution-duration.sql.js';
import {
  GROUPS_OF_EXECUTION,
  IS_COUNTED,
  MAX_NAMES,
  namesAt,
  startOf,
  SUMMED_USAGE,
  TOTALS_LEVELS,
  totalsOf,
  USAGE_COLUMNS,
  USAGE_LEVELS,
} from './aggregation.sql.js';
import type { AnalyticsSummaryFilter } from './analytics.types.js';
import { coverPeriod, type PeriodCover } from './period-cover.js';

const DAY = 86_400;
const PLAIN =
  'created_at, execution_type, entity_id, model, status, input_tokens, output_tokens, total_tokens, cost_nanos';
const ENDED_WITHIN = `CASE WHEN ${IS_OPEN} THEN NULL ELSE ${duration('executions')} END`;

/**
 * Each statement reads whole buckets from the aggregates, adds the facts that are not aggregated yet, and reads the
 * edges of the period from the rows. It has one branch per range of the period, so that the planner knows the bounds of
 * each branch.
 */
class SummaryStatement {
  private readonly values: unknown[] = [];
  readonly organization: string;
  private readonly cover: PeriodCover;

  constructor(
    organizationId: string,
    private readonly filter: AnalyticsSummaryFilter,
    levels: readonly number[],
  ) {
    this.organization = `organization_id = ${this.param(organizationId)}`;
    const { executionId, ...period } = filter;
    this.cover = coverPeriod(period, executionId === undefined ? levels : []);
  }

  /**
   * Returns a condition on rows of `live`, which are not in an aggregate yet. It holds if their name has its own group
   * or can still get one, see `MAX_NAMES`. It always holds if the period is read from the rows alone.
   */
  isNamed(kind: string, name: string): string {
    if (this.cover.ranges.length === 0) return 'true';
    const names = `SELECT 1 FROM analytics_names n WHERE n.${this.organization} AND n.at = live.named_at AND n.kind = ${kind}`;
    return `(NOT EXISTS (${names} AND n.number = ${MAX_NAMES}) OR EXISTS (${names} AND n.name = ${name}))`;
  }

  build(text: string): Statement {
    return { text, values: this.values };
  }

  /** Selects from an aggregate the whole buckets of the period. */
  buckets(select: string, table: string, groups = ''): string[] {
    return this.cover.ranges.map(
      ({ seconds, from, to }) =>
        `SELECT ${select} FROM ${table} WHERE ${this.organization} AND seconds = ${this.param(seconds)} AND ${this.within('at', from, to)} ${groups}`,
    );
  }

  /** Selects rows of the whole buckets of the period that are not yet in an aggregate. */
  recent(select: string, table: string, at: string, condition = 'true'): string[] {
    const [first, last] = [this.cover.ranges[0], this.cover.ranges.at(-1)];
    if (first === undefined || last === undefined) return [];
    const within = this.within(at, first.from, last.to);
    return [`SELECT ${select} FROM ${table} WHERE ${this.organization} AND ${condition} AND ${within}`];
  }

  /** Selects the rows of the edges of the period. */
  edges(select: string, table: string, id: string): string[] {
    const { executionId } = this.filter;
    const condition = executionId === undefined ? '' : `AND ${id} = ${this.param(executionId)}`;
    return this.cover.edges.map(
      ({ from, to }) =>
        `SELECT ${select} FROM ${table} WHERE ${this.organization} ${condition} AND ${this.within('created_at', from, to)}`,
    );
  }

  /**
   * Selects executions that are not in the aggregates, with the columns of facts. Always has at least one branch, so
   * that the union has columns.
   */
  live(): string {
    const branches = [
      ...this.recent(`sign, completed_at, run_ms, ${PLAIN}`, 'execution_facts', 'created_at'),
      ...this.recent(`1, NULL, NULL, ${PLAIN}`, 'executions', 'created_at', IS_OPEN),
      ...this.edges(`1, completed_at, ${ENDED_WITHIN}, ${PLAIN}`, 'executions', 'id'),
    ];
    return [
      `SELECT sign, completed_at, run_ms, ${PLAIN} FROM execution_facts WHERE ${this.organization} AND false`,
      ...branches,
    ].join(' UNION ALL ');
  }

  private within(column: string, from: number, to: number): string {
    const bounds = [
      ...(from === -Infinity ? [] : [`${column} >= ${this.param(new Date(from))}`]),
      ...(to === Infinity ? [] : [`${column} < ${this.param(new Date(to))}`]),
    ];
    return bounds.length === 0 ? 'true' : bounds.join(' AND ');
  }

  private param(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

const USAGE_KEY = 'kind, key, status';

/**
 * Maximum number of groups of each kind in a summary. Further ones are only counted, because clients choose the names
 * of agents, models and statuses.
 */
const MAX_GROUPS = 100;

/**
 * Returns each `UsageRow` of the executions created in a period: of all of them, and of the agents, teams and models
 * with the highest cost, then the most tokens and executions.
 */
export function usageStatement(organizationId: string, filter: AnalyticsSummaryFilter): Statement {
  const statement = new SummaryStatement(organizationId, filter, USAGE_LEVELS);
  const sums = USAGE_COLUMNS.map((column) => `sum(${column}) AS ${column}`).join(', ');
  const live = `
    SELECT ${USAGE_KEY}, ${sums} FROM (
      SELECT kind, key, status, ${namesAt('created_at')} AS named_at, ${SUMMED_USAGE}
      FROM (${statement.live()}) executions CROSS JOIN ${GROUPS_OF_EXECUTION} WHERE ${IS_COUNTED} GROUP BY 1, 2, 3, 4
    ) live WHERE kind = 'all' OR ${statement.isNamed('live.kind', 'live.key')} GROUP BY ${USAGE_KEY}`;
  const parts = [live, ...statement.buckets(`${USAGE_KEY}, ${sums}`, 'usage_totals', `GROUP BY ${USAGE_KEY}`)];
  return statement.build(`
    WITH grouped AS (
      SELECT ${USAGE_KEY}, ${sums} FROM (${parts.join(' UNION ALL ')}) parts
      GROUP BY ${USAGE_KEY} HAVING sum(executions) <> 0
    ), ranked AS (
      SELECT kind, key, row_number() OVER (
        PARTITION BY kind
        ORDER BY sum(cost_nanos) DESC, sum(total_tokens) DESC, sum(executions) DESC, key COLLATE "C"
      ) AS rank FROM grouped GROUP BY kind, key
    )
    SELECT kind, key, status, ${USAGE_COLUMNS.map((column) => `${column}::double precision AS ${column}`).join(', ')}
    FROM grouped JOIN ranked USING (kind, key) WHERE rank <= ${MAX_GROUPS}`);
}

/** Returns `DayRow`s of the executions created in a period; several may have the same day. */
export function daysStatement(organizationId: string, filter: AnalyticsSummaryFilter): Statement {
  const statement = new SummaryStatement(organizationId, filter, TOTALS_LEVELS);
  const live = `(SELECT live.*, ${startOf('created_at', String(DAY))} AS day FROM (${statement.live()}) live) leveled`;
  const select = `${startOf('at', String(DAY))} AS day, ${USAGE_COLUMNS.join(', ')}, run`;
  const parts = [totalsOf(live, 'day'), ...statement.buckets(select, 'execution_totals')];
  const columns = USAGE_COLUMNS.map((column) => `${column}::double precision AS ${column}`).join(', ');
  return statement.build(`SELECT day, ${columns}, run FROM (${parts.join(' UNION ALL ')}) parts`);
}

/**
 * Returns each `RecordRow` of the records created in a period: one row for each of the most frequent statuses, and one
 * for all others.
 */
export function recordsStatement(organizationId: string, filter: AnalyticsSummaryFilter): Statement {
  const statement = new SummaryStatement(organizationId, filter, USAGE_LEVELS);
  const live = [
    `SELECT kind, status, at, records FROM record_changes WHERE ${statement.organization} AND false`,
    ...statement.recent('kind, status, at, records', 'record_changes', 'at'),
    ...statement.edges(`'task', status, created_at, 1`, 'task_records', 'execution_id'),
    ...statement.edges(`kind, '', created_at, 1`, 'execution_records', 'execution_id'),
  ];
  const named = `
    SELECT kind, CASE WHEN status = '' OR ${statement.isNamed('live.kind', 'live.status')} THEN status ELSE '' END AS status, records
    FROM (
      SELECT kind, status, ${namesAt('at')} AS named_at, sum(records) AS records
      FROM (${live.join(' UNION ALL ')}) live GROUP BY 1, 2, 3
    ) live`;
  const parts = [named, ...statement.buckets('kind, status, records', 'record_totals')];
  return statement.build(`
    SELECT kind, CASE WHEN rank <= ${MAX_GROUPS} THEN status ELSE '' END AS status,
      sum(records)::double precision AS records
    FROM (
      SELECT kind, status, sum(records) AS records, row_number() OVER (
        PARTITION BY kind ORDER BY status = '', sum(records) DESC, status COLLATE "C"
      ) AS rank FROM (${parts.join(' UNION ALL ')}) parts GROUP BY kind, status HAVING sum(records) <> 0
    ) ranked GROUP BY 1, 2 ORDER BY 1, 2`);
}
