import {
  ResponseBoolean,
  ResponseInteger,
  ResponseList,
  ResponseNested,
  ResponseNumber,
  ResponseObject,
  ResponseObjectList,
  ResponseString,
  ResponseStringList,
  ResponseTime,
} from '@app/http';
import { EXECUTION_TYPES } from '@app/executions';
import type { JsonObject } from '@app/kernel';
import { SPAN_CATEGORIES, SPAN_KINDS, SPAN_STATUS_CODES, TRACE_STATUSES } from '@app/traces';
import { ApiProperty } from '@nestjs/swagger';

const COST =
  'Cost by the prices of the model on the platform, otherwise as the sender stated it; null if neither is known';
const SUM = 'Sum over the requests to models; null if none has the value';
const EXACT = 'Beyond 2^53: parse it as a 64-bit integer';

/** A request to a model. */
export class SpanUsageResponse {
  @ResponseString({ nullable: true, description: 'Requested model, otherwise the one that answered' })
  readonly model!: string | null;

  @ResponseInteger({ nullable: true, description: 'Tokens of the request' })
  readonly input_tokens!: number | null;

  @ResponseInteger({ nullable: true, description: 'Tokens of the answer' })
  readonly output_tokens!: number | null;

  @ResponseInteger({ nullable: true, description: 'As the sender stated, otherwise the sum of both' })
  readonly total_tokens!: number | null;

  @ResponseNumber({ nullable: true, description: COST })
  readonly cost!: number | null;
}

/** Sums over the requests to models. */
export class TraceUsageResponse {
  @ResponseStringList({ description: 'Models of the requests to models, in alphabetical order, at most 20' })
  readonly models!: string[];

  @ResponseInteger({ nullable: true, description: SUM })
  readonly input_tokens!: number | null;

  @ResponseInteger({ nullable: true, description: SUM })
  readonly output_tokens!: number | null;

  @ResponseInteger({ nullable: true, description: SUM })
  readonly total_tokens!: number | null;

  @ResponseNumber({ nullable: true, description: `${COST}. ${SUM}` })
  readonly cost!: number | null;
}

export class SpanResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString({ description: '32 hexadecimal digits' })
  readonly trace_id!: string;

  @ResponseString({ description: '16 hexadecimal digits' })
  readonly span_id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name of the operation' })
  readonly name!: string;

  @ResponseString({ nullable: true, description: 'Parent as it was sent, even if it is missing; null for a root span' })
  readonly parent_span_id!: string | null;

  @ResponseString({ enum: SPAN_KINDS, description: 'Role of the operation; `INTERNAL` if the sender did not say' })
  readonly kind!: string;

  @ResponseString({ enum: SPAN_CATEGORIES, description: 'What the span measures, found by its attributes' })
  readonly category!: string;

  @ResponseString({ enum: SPAN_STATUS_CODES, description: 'Result of the operation as the sender set it' })
  readonly status_code!: string;

  @ResponseString({ nullable: true, description: 'Error message of the operation; null if none was sent' })
  readonly status_message!: string | null;

  @ResponseString({ nullable: true, description: 'W3C `tracestate`' })
  readonly trace_state!: string | null;

  @ResponseInteger({ description: `Start, in nanoseconds since 1970. ${EXACT}` })
  readonly start_time_unix_nano!: number;

  @ResponseInteger({
    nullable: true,
    description: `End, in nanoseconds since 1970; null while the span is open. ${EXACT}`,
  })
  readonly end_time_unix_nano!: number | null;

  @ResponseInteger({ nullable: true, description: 'Null while the span is open' })
  readonly duration_ns!: number | null;

  @ResponseInteger({ nullable: true, description: 'Rounded down; null while the span is open' })
  readonly duration_ms!: number | null;

  @ResponseTime({ description: 'When the span was received' })
  readonly created_at!: string;

  @ResponseObject({ description: 'Attributes, with those of the instrumentation scope as `otel.scope.*`' })
  readonly attributes!: JsonObject;

  @ResponseObject({ description: 'Attributes of the process that made the span' })
  readonly resource_attributes!: JsonObject;

  @ResponseObjectList({ description: 'Events: `name`, `time_unix_nano`, `attributes`, `dropped_attributes_count`' })
  readonly events!: readonly JsonObject[];

  @ResponseObjectList({
    description: 'Links to other spans: `trace_id`, `span_id`, `trace_state`, `attributes`, `dropped_attributes_count`',
  })
  readonly links!: readonly JsonObject[];

  @ResponseInteger({ description: 'Number of attributes that the sender dropped' })
  readonly dropped_attributes_count!: number;

  @ResponseInteger({ description: 'Number of events that the sender dropped' })
  readonly dropped_events_count!: number;

  @ResponseInteger({ description: 'Number of links that the sender dropped' })
  readonly dropped_links_count!: number;

  @ResponseNested(SpanUsageResponse, { nullable: true, description: 'Null unless the span is a request to a model' })
  readonly usage!: SpanUsageResponse | null;

  @ApiProperty({
    type: () => SpanResponse,
    isArray: true,
    required: false,
    description: 'Spans whose parent is this one, ordered by start; absent in flat lists',
  })
  readonly children?: readonly SpanResponse[];
}

export class TraceResponse extends TraceUsageResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString({ description: '32 hexadecimal digits' })
  readonly trace_id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({
    description: 'Name of the first root span; without a root, of the first span; without a span, of the execution',
  })
  readonly name!: string;

  @ResponseString({ nullable: true, description: 'Service of the span that gives the name' })
  readonly service_name!: string | null;

  @ResponseString({
    nullable: true,
    description:
      'Execution that a span names with the attribute `execution.id`; without a span, the one that has announced the trace',
  })
  readonly execution_id!: string | null;

  @ResponseString({
    nullable: true,
    enum: EXECUTION_TYPES,
    description: 'Kind of the execution; null without an execution',
  })
  readonly execution_type!: string | null;

  @ResponseString({
    nullable: true,
    description: 'User of the execution; without an execution, of the key that sent the first spans',
  })
  readonly user_id!: string | null;

  @ResponseString({ nullable: true })
  readonly user_email!: string | null;

  @ResponseString({ nullable: true })
  readonly user_name!: string | null;

  @ResponseString({ nullable: true })
  readonly user_avatar!: string | null;

  @ResponseString({
    enum: TRACE_STATUSES,
    description:
      '`running` while a span is open; then `error` if a root span failed, or any span if there is no root; otherwise `success`',
  })
  readonly status!: string;

  @ResponseTime({ description: 'Start of the first span' })
  readonly started_at!: string;

  @ResponseTime({ nullable: true, description: 'End of the last span; null while a span is open' })
  readonly ended_at!: string | null;

  @ResponseInteger({ nullable: true, description: 'Rounded down; null while a span is open' })
  readonly duration_ms!: number | null;

  @ResponseInteger({ description: 'Number of spans' })
  readonly span_count!: number;

  @ResponseInteger({ description: 'Number of spans with the status ERROR' })
  readonly error_count!: number;

  @ResponseList(SpanResponse, { description: 'Spans; empty in lists of traces' })
  readonly spans!: readonly SpanResponse[];

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

export class TracePageResponse {
  @ResponseList(TraceResponse, { description: 'Traces of the page, without their spans' })
  readonly items!: readonly TraceResponse[];

  @ResponseInteger({ nullable: true, description: 'Number of traces on all pages; null with `total=false`' })
  readonly total!: number | null;

  @ResponseInteger({ description: 'Page number, from 1; 1 with `cursor`' })
  readonly page!: number;

  @ResponseInteger({ description: 'Maximum number of traces on a page' })
  readonly page_size!: number;

  @ResponseInteger({ nullable: true, description: 'Number of pages; null with `total=false`' })
  readonly total_pages!: number | null;

  @ResponseBoolean({ description: 'Whether more pages follow' })
  readonly has_next!: boolean;

  @ResponseBoolean({ description: 'Whether pages precede' })
  readonly has_previous!: boolean;

  @ResponseString({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  readonly next_cursor!: string | null;
}

class OutlinedSpanResponse {
  @ResponseString({ description: '16 hexadecimal digits' })
  readonly span_id!: string;

  @ResponseString({ nullable: true, description: 'Parent as it was sent, even if it is missing; null for a root span' })
  readonly parent_span_id!: string | null;

  @ResponseString({ description: 'Name of the operation' })
  readonly name!: string;

  @ResponseString({ nullable: true, description: 'Service that sent the span; null if it has no name' })
  readonly service_name!: string | null;

  @ResponseString({ enum: SPAN_KINDS, description: 'Role of the operation' })
  readonly kind!: string;

  @ResponseString({ enum: SPAN_STATUS_CODES, description: 'Result of the operation' })
  readonly status_code!: string;

  @ResponseString({ enum: SPAN_CATEGORIES, description: 'What the span measures, found by its attributes' })
  readonly category!: string;

  @ResponseNumber({ description: 'Nanoseconds since the start of the trace' })
  readonly offset_ns!: number;

  @ResponseNumber({ nullable: true, description: 'Nanoseconds; null while the span is open' })
  readonly duration_ns!: number | null;

  @ResponseInteger({ description: 'Number of events' })
  readonly events!: number;

  @ResponseNested(SpanUsageResponse, { nullable: true, description: 'Null unless the span is a request to a model' })
  readonly usage!: SpanUsageResponse | null;
}

/** What a drawing of a trace needs. */
export class TraceOutlineResponse extends TraceUsageResponse {
  @ResponseString({ description: '32 hexadecimal digits' })
  readonly trace_id!: string;

  @ResponseTime()
  readonly started_at!: string;

  @ResponseNumber({ nullable: true, description: 'Nanoseconds; null while a span is open' })
  readonly duration_ns!: number | null;

  @ResponseInteger({ description: 'Number of spans of the whole trace' })
  readonly span_count!: number;

  @ResponseBoolean({ description: 'Whether the trace has more spans than the outline shows' })
  readonly truncated!: boolean;

  @ResponseList(OutlinedSpanResponse, { description: 'At most 50,000 spans, each followed by its children' })
  readonly spans!: readonly OutlinedSpanResponse[];
}
