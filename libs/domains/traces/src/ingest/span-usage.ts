import { costOf, MAX_COST_NANOS, MAX_MODEL_LENGTH, MAX_TOKENS } from '@app/executions';
import type { JsonObject } from '@app/kernel';
import { GEN_AI, GEN_AI_OPERATIONS } from '@app/observability';
import { textOf, type Attributes } from './attributes.js';
import { COST, EARLIER_OPERATIONS, TOTAL_TOKENS } from './earlier-names.js';

/** What is known of a request to a model; at least one of the values. */
export interface SpanUsage {
  readonly model: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
  /** In billionths: by the prices of the platform, otherwise as the sender stated. */
  readonly cost_nanos: number | null;
}

/** Operations that are one request to a model. Others, such as those of agents, repeat the sums of their requests. */
const MODEL_OPERATIONS: ReadonlySet<string> = new Set([
  GEN_AI_OPERATIONS.chat,
  GEN_AI_OPERATIONS.generateContent,
  GEN_AI_OPERATIONS.textCompletion,
  GEN_AI_OPERATIONS.embeddings,
]);

/** Returns the usage of a span, by its attributes with current names; null unless it is a request to a model. */
export function usageOf(attributes: Attributes): SpanUsage | null {
  const name = textOf(attributes, GEN_AI.requestModel) ?? textOf(attributes, GEN_AI.responseModel);
  const operation = textOf(attributes, GEN_AI.operation);
  // Most spans end here, before their other attributes are searched.
  if (operation === undefined ? name === undefined : !MODEL_OPERATIONS.has(operation)) return null;
  const input_tokens = tokensOf(attributes, [GEN_AI.inputTokens]);
  const output_tokens = tokensOf(attributes, [GEN_AI.outputTokens]);
  const isKnown = input_tokens !== null || output_tokens !== null;
  const sum = isKnown ? (input_tokens ?? 0) + (output_tokens ?? 0) : null;
  const total_tokens = tokensOf(attributes, TOTAL_TOKENS) ?? sum;
  if (operation === undefined && (total_tokens === null || hasEarlierOperation(attributes))) return null;
  const model = name === undefined ? null : storable(name);
  const cost_nanos = sentCostOf(attributes);
  if (model === null && total_tokens === null && cost_nanos === null) return null;
  return { model, input_tokens, output_tokens, total_tokens, cost_nanos };
}

/** Returns the usage with the cost by these prices; with that of the sender if a price is missing. */
export function withPrices(usage: SpanUsage, prices: JsonObject): SpanUsage {
  const cost_nanos = costOf(usage, prices);
  return cost_nanos === null ? usage : { ...usage, cost_nanos };
}

/** Returns the JSON text of a usage in responses. */
export function usageText(usage: SpanUsage | null): string {
  if (usage === null) return 'null';
  const { cost_nanos: nanos, ...sent } = usage;
  return JSON.stringify({ ...sent, cost: nanos === null ? null : nanos / 1e9 });
}

/** The first conventions have no operation: a span with a model and tokens is a request, unless its sender names its kind. */
function hasEarlierOperation(attributes: Attributes): boolean {
  return EARLIER_OPERATIONS.some((name) => attributes.has(name));
}

/** Returns the first of the attributes that is a number of tokens. */
function tokensOf(attributes: Attributes, names: readonly string[]): number | null {
  for (const name of names) {
    const tokens = numberOf(attributes, name);
    if (tokens !== undefined && tokens >= 0 && tokens <= MAX_TOKENS) return Math.round(tokens);
  }
  return null;
}

function sentCostOf(attributes: Attributes): number | null {
  for (const names of COST) {
    const parts = names.map((name) => numberOf(attributes, name));
    if (parts.every((part) => part === undefined)) continue;
    const nanos = Math.round(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0) * 1e9);
    if (parts.every((part) => (part ?? 0) >= 0) && nanos <= MAX_COST_NANOS) return nanos;
  }
  return null;
}

function numberOf(attributes: Attributes, name: string): number | undefined {
  const value = attributes.get(name);
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** PostgreSQL's text cannot store NUL and unpaired surrogates. */
function storable(name: string): string {
  const cut =
    name.length > MAX_MODEL_LENGTH
      ? [...name.slice(0, 2 * MAX_MODEL_LENGTH)].slice(0, MAX_MODEL_LENGTH).join('')
      : name;
  return cut.replaceAll(/\u0000|\p{Surrogate}/gu, '\ufffd');
}
