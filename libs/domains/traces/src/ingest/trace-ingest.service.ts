import { Database } from '@app/database';
import { UsagePricing, type ExecutionOwner, type ExecutionUser } from '@app/executions';
import { Clock, newId, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { IngestRepository, type KnownSpan, type LockedTrace, type NewSpan } from './ingest.repository.js';
import { USAGE_COLUMNS } from './ingest.sql.js';
import type { Received } from './sent-span.js';
import { SpanAdmission, type RefusedSpan } from './span-admission.js';
import { SpanChecker, withUsage, type CheckedResource, type CheckedSpan } from './span-check.js';
import { withPrices } from './span-usage.js';
import {
  newTrace,
  ownerOf,
  spansByTrace,
  summaryOfSpans,
  updatedTrace,
  type TraceOwner,
  type TraceSpans,
} from './trace-batch.js';
import type { Trace } from '../trace.types.js';

/** Who sends spans. Traces without an execution belong to this user. */
export type SpanSender = Scope & ExecutionUser;

/** What became of a batch. */
export interface IngestedBatch {
  readonly accepted: number;
  /** The refused spans, with their positions in the batch. */
  readonly refused: readonly RefusedSpan[];
}

/** Models of a request for which prices are looked up. The others have the costs that their senders state. */
const MAX_PRICED_MODELS = 100;
/** Time after which other requests get their turn, in milliseconds. */
const MAX_TURN_MS = 10;

/** A trace of a batch. */
interface TraceInBatch {
  readonly locked: LockedTrace;
  readonly spans: TraceSpans;
  readonly owner: TraceOwner;
}

/** Stores the spans that a client sends. */
@Injectable()
export class TraceIngestService {
  constructor(
    private readonly database: Database,
    private readonly repository: IngestRepository,
    private readonly admission: SpanAdmission,
    private readonly pricing: UsagePricing,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the valid spans of a batch in one transaction, and returns the refused ones. Idempotent: a span that exists is
   * replaced.
   */
  async ingest(caller: SpanSender, received: Iterable<Received>): Promise<IngestedBatch> {
    const { spans, refused } = await this.checked(received);
    const { accepted, executions, ...others } = await this.admission.admit(caller, spans);
    if (accepted.length > 0) await this.store(caller, spansByTrace(await this.priced(caller, accepted)), executions);
    const all = [...refused, ...others.refused].sort((one, other) => one.index - other.index);
    return { accepted: accepted.length, refused: all };
  }

  private async checked(
    received: Iterable<Received>,
  ): Promise<{ spans: ReadonlyMap<number, CheckedSpan>; refused: RefusedSpan[] }> {
    const checker = new SpanChecker(this.clock.now());
    const spans = new Map<number, CheckedSpan>();
    const refused: RefusedSpan[] = [];
    let index = 0;
    let turn = performance.now();
    for (const one of received) {
      const checked = checker.check(one);
      if (typeof checked === 'string') refused.push({ index, reason: checked });
      else spans.set(index, checked);
      index += 1;
      if (performance.now() - turn < MAX_TURN_MS) continue;
      await new Promise(setImmediate);
      turn = performance.now();
    }
    return { spans, refused };
  }

  /** Returns the spans with the costs of their requests to models, by the prices that the platform knows. */
  private async priced(scope: Scope, spans: readonly CheckedSpan[]): Promise<readonly CheckedSpan[]> {
    const models = new Set<string>();
    for (const { usage } of spans) if (usage !== null && usage.model !== null) models.add(usage.model);
    if (models.size === 0) return spans;
    const prices = await this.pricing.pricesOf(scope, [...models].slice(0, MAX_PRICED_MODELS));
    return spans.map((span) => {
      const known = span.usage === null ? undefined : prices.get(span.usage.model ?? '');
      if (span.usage === null || known === undefined) return span;
      const usage = withPrices(span.usage, known);
      return usage === span.usage ? span : withUsage(span, usage);
    });
  }

  private async store(
    caller: SpanSender,
    traces: ReadonlyMap<string, TraceSpans>,
    executions: ReadonlyMap<string, ExecutionOwner>,
  ): Promise<void> {
    const now = this.clock.now();
    const owners = new Map([...traces].map(([id, spans]) => [id, ownerOf(spans.values(), executions, caller)]));
    const rows = [...traces].flatMap(([id, spans]) => {
      const [summary, owner] = [summaryOfSpans(spans.values()), owners.get(id)];
      return summary === undefined || owner === undefined
        ? []
        : newTrace(id, summary, owner, { organizationId: caller.organizationId, now });
    });
    await this.database.transactionOf(caller, async () => {
      const locked = await this.repository.insertTraces(rows);
      const batch = locked.flatMap((trace) => {
        const [spans, owner] = [traces.get(trace.trace_id), owners.get(trace.trace_id)];
        return spans === undefined || owner === undefined ? [] : { locked: trace, spans, owner };
      });
      await this.storeSpans(caller, batch);
    });
  }

  private async storeSpans(caller: SpanSender, batch: readonly TraceInBatch[]): Promise<void> {
    const existing = batch.filter(({ locked }) => !locked.is_new);
    const known = await this.knownSpans(caller, existing);
    await this.repository.insertResources(caller, resourcesOf(batch));
    await this.repository.upsertSpans(
      batch.flatMap(({ locked, spans }) => [...spans.values()].map((span) => toNewSpan(span, locked))),
    );
    if (existing.length > 0) await this.repository.updateTraces(await this.updatedTraces(caller, existing, known));
  }

  private async knownSpans(
    caller: SpanSender,
    traces: readonly TraceInBatch[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, KnownSpan>>> {
    const known = new Map(traces.map(({ locked }) => [locked.trace_id, new Map<string, KnownSpan>()]));
    if (traces.length === 0) return known;
    const places = traces.flatMap(({ locked, spans }) =>
      [...spans.keys()].map((span_id) => ({ day: locked.day, trace_id: locked.trace_id, span_id })),
    );
    for (const span of await this.repository.findKnownSpans(caller, places)) {
      known.get(span.trace_id)?.set(span.span_id, span);
    }
    return known;
  }

  /**
   * Adds new spans to the sums of their traces. Spans that are sent again change nothing. Only if one differs from the
   * stored one, the sums of its trace are computed from all its spans.
   */
  private async updatedTraces(
    caller: SpanSender,
    existing: readonly TraceInBatch[],
    known: ReadonlyMap<string, ReadonlyMap<string, KnownSpan>>,
  ): Promise<Trace[]> {
    const knownOf = ({ locked }: TraceInBatch): ReadonlyMap<string, KnownSpan> =>
      known.get(locked.trace_id) ?? new Map<string, KnownSpan>();
    const changed = existing.filter((trace) => changesSpan(trace.spans, knownOf(trace)));
    const summaries =
      changed.length === 0
        ? new Map<string, never>()
        : await this.repository.summarize(
            caller,
            changed.map(({ locked }) => locked),
          );
    return existing.map((trace) => {
      const whole = summaries.get(trace.locked.trace_id);
      if (whole !== undefined) return updatedTrace(trace.locked, { whole }, trace.owner);
      const added = [...trace.spans.values()].filter(({ span_id }) => !knownOf(trace).has(span_id));
      return updatedTrace(trace.locked, { added: summaryOfSpans(added) }, trace.owner);
    });
  }
}

/** Whether a stored span differs from the one in the batch in what a summary contains. */
function changesSpan(spans: TraceSpans, known: ReadonlyMap<string, KnownSpan>): boolean {
  return [...known.values()].some((old) => {
    const span = spans.get(old.span_id);
    return (
      span !== undefined &&
      (span.parent_span_id !== old.parent_span_id ||
        span.name !== old.name ||
        span.status_code !== old.status_code ||
        textOf(span.start_time_unix_nano) !== old.start_time_unix_nano ||
        textOf(span.end_time_unix_nano) !== old.end_time_unix_nano ||
        span.bytes !== old.bytes ||
        span.resource.digest !== old.resource_digest ||
        USAGE_COLUMNS.some((column) => textOf(span.usage?.[column]) !== old[column]))
    );
  });
}

/** The form in which the driver returns integers of 64 bits. */
function textOf(value: bigint | string | number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** Returns the resources of each day, each once. */
function resourcesOf(batch: readonly TraceInBatch[]): (CheckedResource & { readonly day: string })[] {
  const days = new Map<string, Map<string, CheckedResource>>();
  for (const { locked, spans } of batch) {
    const resources = days.get(locked.day) ?? new Map<string, CheckedResource>();
    days.set(locked.day, resources);
    for (const { resource } of spans.values()) resources.set(resource.digest, resource);
  }
  return [...days].flatMap(([day, resources]) => [...resources.values()].map((resource) => ({ ...resource, day })));
}

function toNewSpan(span: CheckedSpan, { day, trace_id, organization_id }: LockedTrace): NewSpan {
  return { day, trace_id, organization_id, id: newId(), span };
}
