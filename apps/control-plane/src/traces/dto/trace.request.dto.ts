import {
  CursorField,
  CursorQuery,
  EnumField,
  MAX_PAGE_SIZE,
  QueryBooleanField,
  QueryIntegerField,
  startsOnce,
  StringField,
  TimeField,
  ValidateObject,
} from '@app/http';
import { TRACE_SORTS, TRACE_STATUSES, type TraceSort, type TraceStatus } from '@app/traces';

/** The default page of a list. */
export const TRACE_PAGE = { page: 1, page_size: 20 };
/** With a cursor and without a limit. */
export const DEFAULT_SPAN_LIMIT = 100;

@ValidateObject(startsOnce('page'))
export class ListTracesQuery extends CursorQuery {
  @QueryIntegerField({ min: 1, default: TRACE_PAGE.page, description: 'Page number, from 1. Default 1' })
  readonly page?: number;

  @QueryIntegerField({
    min: 1,
    max: 100,
    default: TRACE_PAGE.page_size,
    description: 'Maximum number of traces on a page, 1 to 100. Default 20',
  })
  readonly page_size?: number;

  @EnumField(TRACE_SORTS, {
    empty: 'keep',
    default: '-started_at',
    description: 'Order; `-` means descending. Default `-started_at`',
  })
  readonly sort?: TraceSort;

  @EnumField(TRACE_STATUSES, { empty: 'keep', description: 'Status of the trace' })
  readonly status?: TraceStatus;

  @StringField({ empty: 'keep', description: 'Service of the span that gives the trace its name' })
  readonly service_name?: string;

  @StringField({ empty: 'keep' })
  readonly user_id?: string;

  @StringField({ empty: 'keep' })
  readonly execution_id?: string;

  @QueryBooleanField({ description: 'Whether a span of the trace has the status ERROR' })
  readonly has_errors?: boolean;

  @TimeField({ empty: 'keep', description: 'Earliest start, inclusive' })
  readonly time_from?: Date;

  @TimeField({ empty: 'keep', description: 'Latest start, exclusive' })
  readonly time_to?: Date;

  @StringField({ empty: 'keep', description: 'Text that the name contains, in any case' })
  readonly search?: string;
}

export class ReadTraceQuery {
  @QueryBooleanField({
    default: false,
    description: 'Whether the spans are a flat list, ordered by start, instead of trees. Default false',
  })
  readonly flat?: boolean;
}

export class ListSpansQuery extends ReadTraceQuery {
  @QueryIntegerField({
    min: 1,
    max: MAX_PAGE_SIZE,
    description: 'Maximum number of spans, 1 to 1000. Returns a page of the flat list. Default: all spans',
  })
  readonly limit?: number;

  @CursorField()
  readonly cursor?: string;
}
