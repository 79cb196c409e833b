import {
  context,
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { GEN_AI, newSpanId } from '@app/observability';
import type { LeaseRef, SessionSettings } from '../control-plane/lease.js';
import { messageOf } from '../errors/error-text.js';
import type { Redactor } from '../redaction/secrets.js';

/** Longer texts of a status are cut; the control plane accepts 4,096 characters. */
const MAX_MESSAGE_LENGTH = 2_000;
/** Longer contents are cut. */
const MAX_CONTENT_LENGTH = 64_000;

/** What a span measures. Undefined attributes are left out. */
export interface SpanSpec {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes: Readonly<Record<string, Attributes[string] | undefined>>;
}

/** What all spans of a run have in common. */
export interface TracedRun extends LeaseRef {
  readonly session: Pick<SessionSettings, 'id'>;
}

/** A span that can end once. */
export interface RunSpan {
  readonly context: Context;
  set(attributes: SpanSpec['attributes']): void;
  /** Sets a text of a prompt, an answer or a tool, if contents are recorded. */
  setContent(name: string, content: () => string): void;
  /** Ends the span with this status. Later calls do nothing. `type`: `error.type`. */
  fail(message: string, type?: string): void;
  end(): void;
}

/**
 * The spans of one run. Each span is the child of the one that is active where it starts; the first one belongs to the
 * span of the lease. Texts are redacted, and those of prompts, answers and tools are recorded only if `hasContent`.
 */
export class RunSpans {
  private readonly open = new Set<RunSpan>();

  constructor(
    private readonly tracer: Tracer,
    private readonly lease: TracedRun,
    private readonly redactor: Redactor,
    private readonly hasContent: boolean,
  ) {}

  /** Runs the work of the lease in its first span. Ends all spans that are still open afterwards. */
  async run<T>(spec: SpanSpec, work: (span: RunSpan) => Promise<T>): Promise<T> {
    const started = this.start(spec, contextOf(this.lease));
    try {
      return await context.with(started.context, () => work(started));
    } finally {
      started.end();
      for (const span of this.open) span.fail('The run ended first', 'cancelled');
    }
  }

  /** Runs `work` in a span, which fails with an error that `work` throws. */
  async in<T>(spec: SpanSpec, work: (span: RunSpan) => Promise<T>): Promise<T> {
    const started = this.start(spec);
    try {
      const result = await context.with(started.context, () => work(started));
      started.end();
      return result;
    } catch (error) {
      started.fail(messageOf(error), error instanceof Error ? error.name : '_OTHER');
      throw error;
    }
  }

  start({ name, kind = SpanKind.INTERNAL, attributes }: SpanSpec, parent = context.active()): RunSpan {
    const { executionId, session } = this.lease;
    const common = { 'execution.id': executionId, [GEN_AI.conversationId]: session.id ?? undefined };
    const all = withoutUndefined({ ...common, ...attributes });
    const span = this.tracer.startSpan(this.redactor.redactText(name), { kind, attributes: all }, parent);
    const started = new OpenSpan(span, trace.setSpan(parent, span), {
      textOf: (text, length) => this.redactor.redactText(text).slice(0, length),
      hasContent: this.hasContent && span.isRecording(),
      ended: () => this.open.delete(started),
    });
    this.open.add(started);
    return started;
  }
}

class OpenSpan implements RunSpan {
  private isEnded = false;

  constructor(
    private readonly span: Span,
    readonly context: Context,
    private readonly run: {
      readonly textOf: (text: string, length: number) => string;
      readonly hasContent: boolean;
      readonly ended: () => void;
    },
  ) {}

  set(attributes: SpanSpec['attributes']): void {
    this.span.setAttributes(withoutUndefined(attributes));
  }

  setContent(name: string, content: () => string): void {
    if (this.run.hasContent) this.span.setAttribute(name, this.run.textOf(content(), MAX_CONTENT_LENGTH));
  }

  fail(message: string, type = '_OTHER'): void {
    if (this.isEnded) return;
    this.span.setAttribute(GEN_AI.errorType, type);
    this.span.setStatus({ code: SpanStatusCode.ERROR, message: this.run.textOf(message, MAX_MESSAGE_LENGTH) });
    this.end();
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.span.end();
    this.run.ended();
  }
}

/** The span of the lease. A run that is not monitored records no span, and nor do those that it calls. */
function contextOf({ trace: { traceId, spanId, traceState }, isMonitored }: LeaseRef): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: spanId ?? newSpanId(),
    traceFlags: isMonitored ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(traceState === null ? {} : { traceState: createTraceState(traceState) }),
  });
}

function withoutUndefined(attributes: SpanSpec['attributes']): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
