import { Database } from '@app/database';
import {
  decodeCursor,
  encodeCursor,
  isUuid,
  withoutUndefined,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { OutlinedSpan, Span } from './span.types.js';
import {
  FIND_FIRST_SPANS,
  FIND_RESOURCES,
  FIND_SPAN,
  FIND_SPAN_BY_ID,
  FIND_SPANS,
  FIND_SPANS_AFTER,
  FIND_TRACE,
  FIND_TRACE_BY_ID,
  OUTLINE_SPANS,
} from './trace.sql.js';
import { TraceEntity } from '../trace.entity.js';
import { MAX_NANOSECONDS, type Trace, type TraceFilter, type TraceSort } from '../trace.types.js';

interface Resource {
  readonly digest: string;
  readonly service_name: string | null;
  readonly attributes: string;
}

type DigestedSpan = Omit<Span, 'resource_attributes'> & { readonly resource_digest: string };
type DigestedOutline = Omit<OutlinedSpan, 'service_name'> & { readonly resource_digest: string };

const SORT_COLUMNS = { started_at: 'trace.start_ns', duration_ms: 'trace.duration_ms' } as const;

@Injectable()
export class TraceRepository {
  constructor(private readonly database: Database) {}

  /** Finds a trace by its `trace_id` or its `id`. */
  async find({ organizationId }: Scope, id: string): Promise<Trace | undefined> {
    const [statement, key] = isUuid(id) ? [FIND_TRACE_BY_ID, id] : [FIND_TRACE, id.toLowerCase()];
    const [trace] = await this.database.prepared<Trace>(statement, [organizationId, key]);
    return trace;
  }

  async list(scope: Scope, filter: TraceFilter, sort: TraceSort, page: Page): Promise<PageResult<Trace>> {
    const query = this.traces(scope, filter);
    const isDescending = sort.startsWith('-');
    const column = SORT_COLUMNS[(isDescending ? sort.slice(1) : sort) as keyof typeof SORT_COLUMNS];
    query.orderBy(column, isDescending ? 'DESC' : 'ASC');
    return this.database.listPage<TraceEntity, Trace>(query, page);
  }

  /** Returns all spans of a trace, ordered by start. */
  async findSpans(trace: Trace): Promise<Span[]> {
    const rows = await this.database.sql<DigestedSpan>(FIND_SPANS, placeOf(trace));
    return this.withResources(trace, rows.sort(byStart));
  }

  /** Returns a page of the spans of a trace, ordered by start. */
  async listSpans(trace: Trace, { limit, skip, cursor }: Page): Promise<PageResult<Span>> {
    const list = JSON.stringify(['spans', trace.organization_id, trace.trace_id]);
    const after = cursor === undefined ? undefined : decodeCursor(cursor, list, 2);
    const [text, from] = after === undefined ? [FIND_FIRST_SPANS, [skip]] : [FIND_SPANS_AFTER, after];
    const rows = await this.database.boundedRows<DigestedSpan>(limit, {
      text,
      values: [...placeOf(trace), limit, ...from],
    });
    const last = rows.length < limit ? undefined : rows.at(-1);
    return {
      items: await this.withResources(trace, rows),
      total: trace.span_count,
      nextCursor: last === undefined ? undefined : encodeCursor(list, [last.start_time_unix_nano, last.span_id]),
    };
  }

  /** Finds a span of a trace by its `span_id` or its `id`. */
  async findSpan(trace: Trace, id: string): Promise<Span | undefined> {
    const [statement, key] = isUuid(id) ? [FIND_SPAN_BY_ID, id] : [FIND_SPAN, id.toLowerCase()];
    const rows = await this.database.sql<DigestedSpan>(statement, [...placeOf(trace), key]);
    return (await this.withResources(trace, rows))[0];
  }

  /** Returns at most `limit` spans of a trace, ordered by start. */
  async outline(trace: Trace, limit: number): Promise<OutlinedSpan[]> {
    const rows = await this.database.sql<DigestedOutline>(OUTLINE_SPANS, [...placeOf(trace), trace.start_ns, limit]);
    const resources = await this.resourcesOf(trace, rows);
    return rows.map((row) =>
      Object.assign(row, { service_name: resources.get(row.resource_digest)?.service_name ?? null }),
    );
  }

  private traces({ organizationId }: Scope, filter: TraceFilter): SelectQueryBuilder<TraceEntity> {
    const { status, service_name, user_id, execution_id, has_errors, time_from, time_to, search } = filter;
    const given = withoutUndefined({ status, service_name, user_id, execution_id });
    const query = this.database.select(TraceEntity, 'trace', { ...given, organization_id: organizationId });
    if (has_errors !== undefined) query.andWhere(has_errors ? 'trace.error_count > 0' : 'trace.error_count = 0');
    if (time_from !== undefined) query.andWhere('trace.start_ns >= :from', { from: nanosecondsOf(time_from) });
    if (time_to !== undefined) query.andWhere('trace.start_ns < :to', { to: nanosecondsOf(time_to) });
    if (search !== undefined) query.andWhere('position(lower(:search) IN lower(trace.name)) > 0', { search });
    return query;
  }

  private async withResources(trace: Trace, rows: readonly DigestedSpan[]): Promise<Span[]> {
    const resources = await this.resourcesOf(trace, rows);
    // Extends the rows of the driver: copies of many thousands of them take longer than reading them.
    return rows.map((row) =>
      Object.assign(row, { resource_attributes: resources.get(row.resource_digest)?.attributes ?? '{}' }),
    );
  }

  private async resourcesOf(
    { organization_id, day }: Trace,
    rows: readonly { readonly resource_digest: string }[],
  ): Promise<ReadonlyMap<string, Resource>> {
    const digests = [...new Set(rows.map(({ resource_digest }) => resource_digest))];
    if (digests.length === 0) return new Map();
    const resources = await this.database.sql<Resource>(FIND_RESOURCES, [organization_id, day, digests]);
    return new Map(resources.map((resource) => [resource.digest, resource]));
  }
}

/** The order of the spans of a trace, as in the statements. */
function byStart(one: DigestedSpan, other: DigestedSpan): number {
  const [start, otherStart] = [one.start_time_unix_nano, other.start_time_unix_nano];
  if (start.length !== otherStart.length) return start.length - otherStart.length;
  if (start !== otherStart) return start < otherStart ? -1 : 1;
  return one.span_id < other.span_id ? -1 : 1;
}

function placeOf({ organization_id, trace_id, day }: Trace): readonly string[] {
  return [organization_id, trace_id, day];
}

/** No span starts after the last nanosecond that a `bigint` can hold. */
function nanosecondsOf(time: Date): string {
  const nanoseconds = BigInt(time.getTime()) * 1_000_000n;
  return String(nanoseconds > MAX_NANOSECONDS ? MAX_NANOSECONDS : nanoseconds);
}
