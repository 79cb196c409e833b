import { TracingConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Attributes,
  type HrTime,
  type SpanContext,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { AttributeValue } from '../ingest/attributes.js';
import type { SentSpan } from '../ingest/sent-span.js';
import { PLATFORM, PLATFORM_SERVICE } from './platform-span.js';

/** Spans that wait while the receiver does not answer; further ones are not sent. */
const MAX_WAITING = 10_000;
const TIMEOUT_MS = 10_000;
const NANOSECONDS = 1_000_000_000n;

/** Sends spans of the platform to a further receiver, if one is configured. What it does not accept is lost there. */
@Injectable()
export class SpanExport implements OnApplicationShutdown {
  private readonly logger = createLogger('traces');
  private readonly processor: SpanProcessor | undefined;

  constructor({ endpoint, headers }: TracingConfig) {
    if (endpoint === null) return;
    const exporter = new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: { ...headers },
      timeoutMillis: TIMEOUT_MS,
    });
    this.processor = new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING, exportTimeoutMillis: TIMEOUT_MS });
  }

  /** Returns at once. */
  send(spans: readonly SentSpan[]): void {
    if (this.processor === undefined) return;
    for (const span of spans) this.processor.onEnd(readableSpan(span));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.processor?.shutdown().catch((error: unknown) => {
      this.logger.warn({ reason: (error as Error).message }, 'the last spans were not sent elsewhere');
    });
  }
}

const RESOURCE = resourceFromAttributes(valuesOf(PLATFORM.attributes));
/** In the order of `SPAN_KINDS`. */
const KINDS = [SpanKind.INTERNAL, SpanKind.SERVER, SpanKind.CLIENT, SpanKind.PRODUCER, SpanKind.CONSUMER];
const SCOPE = { name: PLATFORM_SERVICE };

/** Returns the span as the packages of OpenTelemetry read it. */
function readableSpan(span: SentSpan): ReadableSpan {
  const own = contextOf(span.trace_id, span.span_id);
  return {
    name: span.name,
    kind: KINDS[span.kind - 1] ?? SpanKind.INTERNAL,
    spanContext: () => own,
    ...(span.parent_span_id === '' ? {} : { parentSpanContext: contextOf(span.trace_id, span.parent_span_id) }),
    startTime: timeOf(span.start_time_unix_nano),
    endTime: timeOf(span.end_time_unix_nano),
    status:
      span.status_message === ''
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: span.status_message },
    attributes: valuesOf(span.attributes),
    links: [],
    events: [],
    duration: timeOf(span.end_time_unix_nano - span.start_time_unix_nano),
    ended: true,
    resource: RESOURCE,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function contextOf(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}

function timeOf(nanoseconds: bigint): HrTime {
  return [Number(nanoseconds / NANOSECONDS), Number(nanoseconds % NANOSECONDS)];
}

/** The attributes of the platform are texts, truth values and small integers. */
function valuesOf(attributes: ReadonlyMap<string, AttributeValue>): Attributes {
  return Object.fromEntries(
    [...attributes].map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  ) as Attributes;
}
