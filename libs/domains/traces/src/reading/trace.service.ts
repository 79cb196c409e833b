import { Database } from '@app/database';
import type { Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { AnnouncedTraces } from './announced-traces.js';
import { forestOf } from './span-forest.js';
import type { Span, SpansOfTrace, TraceOutline, WholeTrace } from './span.types.js';
import { spanNotFound, traceNotFound, traceTooLarge } from '../trace.errors.js';
import { TraceRepository } from './trace.repository.js';
import type { Trace, TraceFilter, TraceSort } from '../trace.types.js';

/** Maximum size of the spans of a trace that is returned as a whole, in bytes of JSON. */
const MAX_WHOLE_TRACE_BYTES = 67_108_864;
/** Maximum number of spans of an outline. */
const MAX_OUTLINED_SPANS = 50_000;

/** Reads traces. Where an id of a trace or span is expected, the id of the protocol and that of the row are accepted. */
@Injectable()
export class TraceService {
  constructor(
    private readonly database: Database,
    private readonly traces: TraceRepository,
    private readonly announced: AnnouncedTraces,
  ) {}

  async list(scope: Scope, filter: TraceFilter, sort: TraceSort, page: Page): Promise<PageResult<Trace>> {
    return this.traces.list(scope, filter, sort, page);
  }

  /** Without a span, the trace of an execution of this organization is empty as long as its first spans are awaited. */
  async read(scope: Scope, id: string): Promise<Trace> {
    return (await this.traces.find(scope, id)) ?? this.announcedTrace(scope, id);
  }

  /**
   * Returns a trace with all its spans. Calls `admit` with their approximate size in bytes before it reads them. Throws
   * the conflict `related_data_too_large` beyond `MAX_WHOLE_TRACE_BYTES`.
   */
  async readWhole(scope: Scope, id: string, admit: (bytes: number) => void): Promise<WholeTrace> {
    const whole = await this.database.snapshot(async () => {
      const trace = await this.traces.find(scope, id);
      if (trace === undefined) return undefined;
      const bytes = Number(trace.bytes);
      if (bytes > MAX_WHOLE_TRACE_BYTES) throw traceTooLarge(bytes, MAX_WHOLE_TRACE_BYTES);
      admit(bytes);
      return { trace, spans: await this.traces.findSpans(trace) };
    });
    return whole ?? { trace: await this.announcedTrace(scope, id), spans: [] };
  }

  /** Returns a page of the spans of a trace, ordered by start. */
  async listSpans(scope: Scope, id: string, page: Page): Promise<SpansOfTrace<PageResult<Span>>> {
    const trace = await this.read(scope, id);
    return { trace, spans: await this.traces.listSpans(trace, page) };
  }

  /** Returns the first `MAX_OUTLINED_SPANS` spans of a trace, without what only a single span shows. */
  async outline(trace: Trace): Promise<TraceOutline> {
    const spans = await this.traces.outline(trace, MAX_OUTLINED_SPANS);
    const ordered = forestOf(spans).flatMap(({ index }) => spans[index] ?? []);
    return { trace, truncated: trace.span_count > spans.length, spans: ordered };
  }

  async readSpan(scope: Scope, id: string, spanId: string): Promise<SpansOfTrace<Span>> {
    const trace = await this.read(scope, id);
    const span = await this.traces.findSpan(trace, spanId);
    if (span === undefined) throw spanNotFound();
    return { trace, spans: span };
  }
  private async announcedTrace(scope: Scope, id: string): Promise<Trace> {
    const trace = await this.announced.find(scope, id);
    if (trace === undefined) throw traceNotFound();
    return trace;
  }
}
