export { TracesModule } from './traces.module.js';
export { TracesHandlersModule } from './traces.handlers.module.js';
export { TraceIngestService, type IngestedBatch } from './ingest/trace-ingest.service.js';
export type { RefusedSpan } from './ingest/span-admission.js';
export { MAX_ATTRIBUTE_DEPTH, type Attributes, type AttributeValue } from './ingest/attributes.js';
export type { Received, SentEvent, SentLink, SentResource, SentSpan } from './ingest/sent-span.js';
export { forestOf } from './reading/span-forest.js';
export { toSentSpan, type PlatformSpan } from './platform/platform-span.js';
export { PlatformSpansService } from './platform/platform-spans.service.js';
export { TraceService } from './reading/trace.service.js';
export type { SpanUsage } from './ingest/span-usage.js';
export type { Span, TraceOutline, WholeTrace } from './reading/span.types.js';
export {
  SPAN_CATEGORIES,
  SPAN_KINDS,
  SPAN_STATUS_CODES,
  TRACE_SORTS,
  TRACE_STATUSES,
  type SpanCategory,
  type SpanKind,
  type SpanStatusCode,
  type Trace,
  type TraceFilter,
  type TraceSort,
  type TraceStatus,
} from './trace.types.js';
