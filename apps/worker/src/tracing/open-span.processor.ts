import type { Context } from '@opentelemetry/api';
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace';

/** Milliseconds after which a span that has not ended is sent as open. */
const OPEN_AFTER_MS = 1_000;

/**
 * Sends spans that take long twice: as open while they last, so that the trace of a run in progress can be read, and
 * again when they end. Both pass through the same processor, which keeps their order.
 */
export class OpenSpanProcessor implements SpanProcessor {
  /** The spans that have not ended, with the time of their start. */
  private readonly open = new Map<Span, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly inner: SpanProcessor) {}

  onStart(span: Span, parent: Context): void {
    this.inner.onStart(span, parent);
    this.open.set(span, performance.now());
    this.timer ??= setTimeout(() => this.sendOpen(), OPEN_AFTER_MS).unref();
  }

  onEnd(span: ReadableSpan): void {
    this.open.delete(span as Span);
    this.inner.onEnd(span);
  }

  async forceFlush(): Promise<void> {
    return this.inner.forceFlush();
  }

  async shutdown(): Promise<void> {
    clearTimeout(this.timer);
    return this.inner.shutdown();
  }

  /** A span is sent as open once: its end follows, or that of its lease closes it. */
  private sendOpen(): void {
    this.timer = undefined;
    const before = performance.now() - OPEN_AFTER_MS;
    for (const [span, startedAt] of this.open) {
      if (startedAt > before) continue;
      this.open.delete(span);
      this.inner.onEnd(openCopy(span));
    }
    if (this.open.size > 0) this.timer = setTimeout(() => this.sendOpen(), OPEN_AFTER_MS).unref();
  }
}

/** The exporter reads a span when it sends it, which may be after the end. */
function openCopy(span: Span): ReadableSpan {
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => span.spanContext(),
    ...(span.parentSpanContext === undefined ? {} : { parentSpanContext: span.parentSpanContext }),
    startTime: span.startTime,
    endTime: [0, 0],
    status: { ...span.status },
    attributes: { ...span.attributes },
    links: [...span.links],
    events: [...span.events],
    duration: [0, 0],
    ended: false,
    resource: span.resource,
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: span.droppedAttributesCount,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  };
}
