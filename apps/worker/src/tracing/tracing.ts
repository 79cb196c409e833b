import { context, diag, DiagLogLevel, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { removeVariables, type TracingConfig } from '@app/config';
import type { Logger } from '@app/observability';
import { OpenSpanProcessor } from './open-span.processor.js';

/** Delay of a span, in milliseconds: the traces of runs in progress are that old. */
const SEND_AFTER_MS = 500;
/** Spans that wait while the control plane does not answer; the oldest are kept. */
const MAX_WAITING = 10_000;
const EXPORT_TIMEOUT_MS = 10_000;
/** How long a worker that stops waits for its last spans. */
const SHUTDOWN_TIMEOUT_MS = 2_000;

/** Where spans are sent: to the control plane and, if configured, another receiver. */
export interface TracingTarget {
  readonly controlPlaneUrl: string;
  readonly apiKey: string;
  readonly config: TracingConfig;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends the spans that have ended. Never rejects. */
  close(): Promise<void>;
}

/** Starts tracing. To be called once per process: the active span belongs to the asynchronous context of the process. */
export function openTracing({ controlPlaneUrl, apiKey, config }: TracingTarget, logger: Logger): Tracing {
  // The exporter would add the headers for another receiver to the requests to the control plane.
  removeVariables(/^OTEL_EXPORTER_OTLP_.*HEADERS$/);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // The packages report here what they could not send, and spans that they dropped.
  const report = (message: string, ...details: unknown[]): void =>
    logger.warn({ details: details.map(String) }, `tracing: ${message}`);
  const silent = (): void => undefined;
  diag.setLogger({ error: report, warn: report, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
  const processors = [processorFor(`${controlPlaneUrl}/v1/traces`, { Authorization: `Bearer ${apiKey}` })];
  if (config.endpoint !== null) processors.push(processorFor(`${config.endpoint}/v1/traces`, config.headers ?? {}));
  const provider = new TracerProvider({
    sampler: config.isEnabled ? new ParentBasedSampler({ root: new AlwaysOnSampler() }) : new AlwaysOffSampler(),
    resource: resourceFromAttributes({ 'service.name': 'worker' }),
    spanProcessors: processors,
  });
  const close = async (): Promise<void> => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, SHUTDOWN_TIMEOUT_MS).unref());
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
  };
  return { tracer: provider.getTracer('worker'), close };
}

function processorFor(url: string, headers: Readonly<Record<string, string>>): SpanProcessor {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS });
  const batches = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: SEND_AFTER_MS,
    maxQueueSize: MAX_WAITING,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  });
  return new OpenSpanProcessor(batches);
}
