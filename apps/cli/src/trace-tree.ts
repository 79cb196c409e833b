import { nearestNumber } from '@app/api-client';
import type { Terminal } from './terminal.js';
import { printable } from './terminal.js';

/** A span of the outline of a trace. */
export interface OutlinedSpan {
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly service_name: string | null;
  readonly status_code: string;
  readonly offset_ns: number;
  /** Null while the span is open. */
  readonly duration_ns: number | null;
  /** Null unless the span is a request to a model. */
  readonly usage: { readonly total_tokens: number | null } | null;
}

/** The sums over the requests to models of a trace. */
export interface TraceUsage {
  readonly models: readonly string[];
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
  readonly cost: number | null;
}

/** Spans in the order of the trees, and the length of the trace, null while it runs. */
export interface Outline {
  readonly duration_ns: number | null;
  readonly spans: readonly OutlinedSpan[];
}

interface Line {
  readonly span: OutlinedSpan;
  readonly label: string;
}

const MAX_LABEL = 60;
const BAR_WIDTH = 40;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * Draws the spans of a trace: one line each, indented below its parent, with its duration and a bar on the time axis of
 * the trace. An open span ends where the latest span does.
 */
export function treeOf(outline: Outline, style: Terminal['style'] = (_style, text) => text): string {
  const { spans, duration_ns } = withNumbers(outline);
  const lines = linesOf(spans);
  const width = Math.min(MAX_LABEL, Math.max(0, ...lines.map(({ label }) => label.length)));
  const length = duration_ns ?? Math.max(0, ...spans.map((span) => span.offset_ns + (span.duration_ns ?? 0)));
  return lines
    .map(({ span, label }) => {
      const isError = span.status_code === 'ERROR';
      const duration = (span.duration_ns === null ? 'running' : durationText(span.duration_ns)).padStart(9);
      const bar = style(isError ? 'red' : 'cyan', barOf(span, length));
      const tokens = tokensText(span.usage?.total_tokens ?? null);
      return `${fit(label, width)} ${duration} ${bar}${isError ? style('red', ' error') : ''}${tokens}`.trimEnd();
    })
    .join('\n');
}

/** Returns the sums of a trace in one line; undefined if it has no request to a model of which something is known. */
export function usageLine({ models, input_tokens, output_tokens, total_tokens, cost }: TraceUsage): string | undefined {
  const parts = [
    ...(total_tokens === null ? [] : [`${amountText(total_tokens)} tokens`]),
    ...(input_tokens === null ? [] : [`${amountText(input_tokens)} input`]),
    ...(output_tokens === null ? [] : [`${amountText(output_tokens)} output`]),
    ...(cost === null ? [] : [`cost ${amountText(cost)}`]),
    ...(models.length === 0 ? [] : [printable(models.join(', ').replaceAll(/\s+/g, ' '))]),
  ];
  return parts.length === 0 ? undefined : parts.join(' · ');
}

/** Returns the spans with errors, and all their ancestors. */
export function withErrorsOnly({ spans, ...trace }: Outline): Outline {
  const kept = new Set<string>();
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  for (const span of spans) {
    if (span.status_code !== 'ERROR') continue;
    let at: OutlinedSpan | undefined = span;
    while (at !== undefined && !kept.has(at.span_id)) {
      kept.add(at.span_id);
      at = at.parent_span_id === null ? undefined : byId.get(at.parent_span_id);
    }
  }
  return { ...trace, spans: spans.filter(({ span_id }) => kept.has(span_id)) };
}

/** Returns a duration in the largest unit in which it is at least 1. */
export function durationText(nanoseconds: number): string {
  const units: readonly (readonly [number, string])[] = [
    [3_600_000_000_000, 'h'],
    [60_000_000_000, 'min'],
    [1_000_000_000, 's'],
    [1_000_000, 'ms'],
    [1000, 'µs'],
  ];
  const [size, unit] = units.find(([size]) => nanoseconds >= size) ?? [1, 'ns'];
  const amount = nanoseconds / size;
  return `${amount >= 100 || Number.isInteger(amount) ? Math.round(amount) : amount.toFixed(amount >= 10 ? 1 : 2)} ${unit}`;
}

function tokensText(tokens: number | null): string {
  return tokens === null ? '' : ` ${amountText(tokens)} tokens`;
}

/** Whole numbers with all digits, beyond 2^53 as bigints; costs with four that count. */
function amountText(amount: number | bigint): string {
  return amount.toLocaleString('en', Number.isInteger(Number(amount)) ? {} : { maximumSignificantDigits: 4 });
}

/** Times beyond 2^53 ns, more than 104 days, are bigints. */
function withNumbers({ spans, duration_ns }: Outline): Outline {
  const numberOf = (time: number | null): number | null => (time === null ? null : nearestNumber(time));
  return {
    duration_ns: numberOf(duration_ns),
    spans: spans.map((span) => ({
      ...span,
      offset_ns: nearestNumber(span.offset_ns),
      duration_ns: numberOf(span.duration_ns),
    })),
  };
}

/** A parent is in the list before its children. */
function linesOf(spans: readonly OutlinedSpan[]): Line[] {
  const depths = new Map<string, number>();
  return spans.map((span) => {
    const depth = span.parent_span_id === null ? 0 : (depths.get(span.parent_span_id) ?? -1) + 1;
    depths.set(span.span_id, depth);
    return { span, label: `${'  '.repeat(depth)}${printable(span.name.replaceAll(/\s+/g, ' '))}` };
  });
}

function fit(label: string, width: number): string {
  return label.length > width ? `${label.slice(0, width - 1)}…` : label.padEnd(width);
}

/** Returns the bar of a span, at least one eighth of a character wide. */
function barOf({ offset_ns, duration_ns }: OutlinedSpan, length: number): string {
  if (length <= 0) return '';
  const start = Math.min(BAR_WIDTH - 1, Math.floor((offset_ns / length) * BAR_WIDTH));
  const end = duration_ns === null ? length : offset_ns + duration_ns;
  const eighths = Math.max(1, Math.round((end / length) * BAR_WIDTH * 8) - start * 8);
  return `${' '.repeat(start)}${'█'.repeat(Math.floor(eighths / 8))}${EIGHTHS[eighths % 8] ?? ''}`;
}
