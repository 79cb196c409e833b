import {
  CurrentCaller,
  EntityTag,
  LongRead,
  RequireScope,
  reserveLargeResponse,
  Returns,
  ReturnsList,
  ReturnsPage,
  Summary,
  type IsKnownVersion,
  type PageText,
} from '@app/http';
import type { Caller } from '@app/kernel';
import { TraceService } from '@app/traces';
import { Controller, Get, Header, Param, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ListSpansQuery, ListTracesQuery, ReadTraceQuery } from './dto/trace.request.dto.js';
import { SpanResponse, TraceOutlineResponse, TracePageResponse, TraceResponse } from './dto/trace.response.dto.js';
import { flatText, spanText, traceText, treeText, versionOf } from './span-text.js';
import { toSpanPage, toTraceFilter, toTraceOutlineResponse, toTracePage, toTracePageResponse } from './trace.mapper.js';

/** For responses that are composed as text. */
const JSON_TYPE = ['Content-Type', 'application/json; charset=utf-8'] as const;

@ApiTags('traces')
@Controller('api/v1/traces')
export class TracesController {
  constructor(private readonly traces: TraceService) {}

  @Get()
  @Summary('Lists traces in pages, newest first, without their spans.')
  @RequireScope('tasks:read')
  @LongRead()
  @ReturnsPage(TracePageResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListTracesQuery): Promise<TracePageResponse> {
    const page = toTracePage(query);
    const listed = await this.traces.list(caller, toTraceFilter(query), query.sort ?? '-started_at', page);
    return toTracePageResponse(listed, page);
  }

  @Get(':trace_id')
  @Summary('Returns a trace with all its spans, as trees or as a flat list.')
  @RequireScope('tasks:read')
  @LongRead()
  @Header(...JSON_TYPE)
  @Returns(TraceResponse)
  async read(
    @CurrentCaller() caller: Caller,
    @Param('trace_id') id: string,
    @Query() { flat = false }: ReadTraceQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const admit = (bytes: number): void => reserveLargeResponse(response, caller, bytes);
    const whole = await this.traces.readWhole(caller, id, admit);
    return traceText(whole.trace, flat ? flatText(whole) : treeText(whole));
  }

  @Get(':trace_id/spans')
  @Summary('Lists the spans of a trace: all as trees or as a flat list, or with `limit` a page of the flat list.')
  @RequireScope('tasks:read')
  @LongRead()
  @Header(...JSON_TYPE)
  @ReturnsList(SpanResponse)
  async listSpans(
    @CurrentCaller() caller: Caller,
    @Param('trace_id') id: string,
    @Query() query: ListSpansQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PageText> {
    const page = toSpanPage(query);
    if (page !== undefined) {
      const { trace, spans } = await this.traces.listSpans(caller, id, page);
      return { total: spans.total, nextCursor: spans.nextCursor, text: flatText({ trace, spans: spans.items }) };
    }
    const admit = (bytes: number): void => reserveLargeResponse(response, caller, bytes);
    const whole = await this.traces.readWhole(caller, id, admit);
    const text = query.flat === true ? flatText(whole) : treeText(whole);
    return { text, total: whole.spans.length, nextCursor: undefined };
  }

  @Get(':trace_id/outline')
  @Summary('Returns what a drawing of a trace needs of its spans, each followed by its children.')
  @RequireScope('tasks:read')
  @LongRead()
  @Returns(TraceOutlineResponse)
  async outline(
    @CurrentCaller() caller: Caller,
    @Param('trace_id') id: string,
    @EntityTag() isKnownVersion: IsKnownVersion,
  ): Promise<TraceOutlineResponse | undefined> {
    const trace = await this.traces.read(caller, id);
    if (isKnownVersion(`${trace.id}-${trace.revision}`)) return undefined;
    return toTraceOutlineResponse(await this.traces.outline(trace));
  }

  @Get(':trace_id/spans/:span_id')
  @Summary('Returns one span of a trace, without its children.')
  @RequireScope('tasks:read')
  @LongRead()
  @Header(...JSON_TYPE)
  @Returns(SpanResponse)
  async readSpan(
    @CurrentCaller() caller: Caller,
    @Param('trace_id') id: string,
    @Param('span_id') spanId: string,
    @EntityTag() isKnownVersion: IsKnownVersion,
  ): Promise<string | undefined> {
    const { trace, spans: span } = await this.traces.readSpan(caller, id, spanId);
    const text = spanText(trace, span);
    return isKnownVersion(versionOf(text)) ? undefined : text;
  }
}
