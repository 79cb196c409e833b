import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import {
  CLOSE_SPANS,
  FIND_KNOWN_SPANS,
  INSERT_RESOURCES,
  INSERT_TRACES,
  LOCK_TRACES,
  SPAN_COLUMNS,
  SUMMARIZE_TRACES,
  TRACE_COLUMNS,
  UPDATE_TRACES,
  UPSERT_SPANS,
  USAGE_COLUMNS,
} from './ingest.sql.js';
import type { CheckedResource, CheckedSpan } from './span-check.js';
import { toBigInt, type TraceSummary } from './trace-summary.js';
import type { Trace } from '../trace.types.js';

/** A trace as it was locked by `insertTraces`. */
export type LockedTrace = Trace & { readonly is_new: boolean };

/** The place of a trace or span in its partition. */
export interface TracePlace {
  readonly day: string;
  readonly trace_id: string;
}

/** An execution that ended while spans of it were open. */
export interface OpenExecution extends TracePlace {
  readonly execution_id: string;
  /** Nanoseconds since 1970. */
  readonly ended_at: bigint;
}

/** A span that exists, with the columns that a summary contains. */
export interface KnownSpan {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly status_code: string;
  readonly start_time_unix_nano: string;
  readonly end_time_unix_nano: string | null;
  readonly bytes: number;
  readonly resource_digest: string;
  readonly model: string | null;
  readonly input_tokens: string | null;
  readonly output_tokens: string | null;
  readonly total_tokens: string | null;
  readonly cost_nanos: string | null;
}

/** A span with the columns that its trace and its batch determine. */
export interface NewSpan extends TracePlace {
  readonly organization_id: string;
  readonly id: string;
  readonly span: CheckedSpan;
}

type InRow<Value> = Value extends bigint ? string : Value;
type SummaryRow = { readonly trace_id: string } & {
  readonly [Field in keyof TraceSummary]: InRow<TraceSummary[Field]>;
};

/**
 * Maximum number of spans in one statement: composing its parameters for more would let other requests wait, and it must
 * not come close to the time limit of statements.
 */
const SPANS_PER_STATEMENT = 1000;

/** Writes batches of spans, with a number of statements that does not depend on how many traces they belong to. */
@Injectable()
export class IngestRepository {
  constructor(private readonly database: Database) {}

  /** Inserts the traces that do not exist, and locks all of them until the transaction ends. */
  async insertTraces(traces: readonly Trace[]): Promise<LockedTrace[]> {
    return this.database.sql<LockedTrace>(INSERT_TRACES, columnsOfRows(TRACE_COLUMNS, traces));
  }

  /** Locks the traces that exist until the transaction ends. */
  async lockTraces({ organizationId }: Scope, ids: readonly string[]): Promise<LockedTrace[]> {
    return this.database.sql<LockedTrace>(LOCK_TRACES, [organizationId, ids]);
  }

  /** Ends the open spans of executions as failed. Returns the ids of the traces that it changed. */
  async closeSpans(
    { organizationId }: Scope,
    message: string,
    executions: readonly OpenExecution[],
  ): Promise<ReadonlySet<string>> {
    const arrays = columnsOfRows(['day', 'trace_id', 'execution_id', 'ended_at'], executions);
    const rows = await this.database.sql<{ trace_id: string }>(CLOSE_SPANS, [organizationId, message, ...arrays]);
    return new Set(rows.map(({ trace_id }) => trace_id));
  }

  /** Replaces what a batch changes in locked traces. */
  async updateTraces(traces: readonly Trace[]): Promise<void> {
    await this.database.sql(UPDATE_TRACES, columnsOfRows(TRACE_COLUMNS, traces));
  }

  /** Returns those of the spans that exist. */
  async findKnownSpans(
    { organizationId }: Scope,
    spans: readonly (TracePlace & { readonly span_id: string })[],
  ): Promise<KnownSpan[]> {
    const known: KnownSpan[] = [];
    for (const part of parts(spans)) {
      const arrays = columnsOfRows(['day', 'trace_id', 'span_id'], part);
      known.push(...(await this.database.sql<KnownSpan>(FIND_KNOWN_SPANS, [organizationId, ...arrays])));
    }
    return known;
  }

  /** Inserts the spans, or replaces those that exist. */
  async upsertSpans(spans: readonly NewSpan[]): Promise<void> {
    for (const part of parts(spans)) {
      const arrays = SPAN_COLUMNS.map((column) => part.map((span) => toParameter(valueOf(span, column))));
      await this.database.sql(UPSERT_SPANS, arrays);
    }
  }

  async insertResources(
    { organizationId }: Scope,
    resources: readonly (CheckedResource & { readonly day: string })[],
  ): Promise<void> {
    const arrays = columnsOfRows(['day', 'digest', 'service_name', 'attributes'], resources);
    await this.database.sql(INSERT_RESOURCES, [organizationId, ...arrays]);
  }

  /** Returns the summaries of traces, computed from their spans. */
  async summarize(
    { organizationId }: Scope,
    traces: readonly TracePlace[],
  ): Promise<ReadonlyMap<string, TraceSummary>> {
    const arrays = columnsOfRows(['day', 'trace_id'], traces);
    const rows = await this.database.sql<SummaryRow>(SUMMARIZE_TRACES, [organizationId, ...arrays]);
    return new Map(rows.map((row) => [row.trace_id, toSummary(row)]));
  }
}

function parts<Span>(spans: readonly Span[]): Span[][] {
  return Array.from({ length: Math.ceil(spans.length / SPANS_PER_STATEMENT) }, (_part, index) =>
    spans.slice(index * SPANS_PER_STATEMENT, (index + 1) * SPANS_PER_STATEMENT),
  );
}

function toSummary({ trace_id: _trace, ...row }: SummaryRow): TraceSummary {
  return {
    ...row,
    named_by_start_ns: BigInt(row.named_by_start_ns),
    start_ns: BigInt(row.start_ns),
    end_ns: toBigInt(row.end_ns),
    bytes: BigInt(row.bytes),
    input_tokens: toBigInt(row.input_tokens),
    output_tokens: toBigInt(row.output_tokens),
    total_tokens: toBigInt(row.total_tokens),
    cost_nanos: toBigInt(row.cost_nanos),
  };
}

function valueOf(row: NewSpan, column: (typeof SPAN_COLUMNS)[number]): unknown {
  if (column === 'resource_digest') return row.span.resource.digest;
  if (isUsageColumn(column)) return row.span.usage?.[column] ?? null;
  return column in row ? row[column as keyof NewSpan] : row.span[column as keyof CheckedSpan];
}

const USAGE: ReadonlySet<string> = new Set(USAGE_COLUMNS);

function isUsageColumn(column: string): column is (typeof USAGE_COLUMNS)[number] {
  return USAGE.has(column);
}

/** Returns one array per column, for `unnest`. */
function columnsOfRows<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, unknown>>[],
): unknown[][] {
  return columns.map((column) => rows.map((row) => toParameter(row[column])));
}

/** The driver has no form for bigints and lists in arrays. */
function toParameter(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return Array.isArray(value) ? arrayText(value as readonly string[]) : value;
}

/** Returns the text of an array of PostgreSQL. */
function arrayText(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
