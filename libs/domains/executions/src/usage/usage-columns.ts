import { nearestDouble, type JsonObject } from '@app/kernel';

/** The values that analytics reads from the `usage` of an execution. Null: the usage does not contain the value. */
export interface UsageColumns {
  readonly model: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
  /** In billionths of the currency of the model's prices, calculated with its prices at the time of the report. */
  readonly cost_nanos: number | null;
}

/** Larger numbers are ignored: they must be wrong, and sums of them would lose precision. */
export const MAX_TOKENS = 1e12;
export const MAX_COST_NANOS = 1e15;
/** In characters; longer names are cut. */
export const MAX_MODEL_LENGTH = 255;

/** Reads `model`, `prompt_tokens` or `input_tokens`, `completion_tokens` or `output_tokens`, and `total_tokens`. */
export function readUsage(usage: JsonObject): Omit<UsageColumns, 'cost_nanos'> {
  const { model } = usage;
  const input_tokens = firstTokens(usage, ['prompt_tokens', 'input_tokens']);
  const output_tokens = firstTokens(usage, ['completion_tokens', 'output_tokens']);
  const known = input_tokens !== null || output_tokens !== null;
  const sum = known ? (input_tokens ?? 0) + (output_tokens ?? 0) : null;
  return {
    model: typeof model === 'string' && model !== '' ? [...model].slice(0, MAX_MODEL_LENGTH).join('') : null,
    input_tokens,
    output_tokens,
    total_tokens: firstTokens(usage, ['total_tokens']) ?? sum,
  };
}

/**
 * Returns the cost in billionths; null if the input and output tokens are not known, or if tokens that were used have
 * no price. Prices are numbers, or numbers as text, under the names of `PRICES`.
 */
export function costOf(
  { input_tokens, output_tokens }: Pick<UsageColumns, 'input_tokens' | 'output_tokens'>,
  pricing: JsonObject,
): number | null {
  if (input_tokens === null && output_tokens === null) return null;
  const input = partOf(input_tokens ?? 0, pricing, 'input');
  const output = partOf(output_tokens ?? 0, pricing, 'output');
  if (input === null || output === null) return null;
  const nanos = Math.round((input + output) * 1e9);
  return nanos <= MAX_COST_NANOS ? nanos : null;
}

/**
 * The accepted names of prices, each with the number of tokens to which the price applies. The first name that is
 * present is used.
 */
const PRICES = {
  input: {
    input_cost_per_token: 1,
    prompt: 1,
    input_cost_per_1k_tokens: 1e3,
    input_cost_per_million_tokens: 1e6,
    input_per_million: 1e6,
    input: 1e6,
  },
  output: {
    output_cost_per_token: 1,
    completion: 1,
    output_cost_per_1k_tokens: 1e3,
    output_cost_per_million_tokens: 1e6,
    output_per_million: 1e6,
    output: 1e6,
  },
} as const;

/** Returns only the prices that `costOf` uses: a pricing is free-form and can be large. */
export function pricesIn(pricing: JsonObject): JsonObject {
  const names = [...Object.keys(PRICES.input), ...Object.keys(PRICES.output)];
  return Object.fromEntries(
    names.flatMap((name) => [priceOf(pricing[name])].flatMap((price) => (price === null ? [] : [[name, price]]))),
  );
}

function partOf(tokens: number, pricing: JsonObject, direction: keyof typeof PRICES): number | null {
  if (tokens === 0) return 0;
  for (const [name, unit] of Object.entries(PRICES[direction])) {
    const price = priceOf(pricing[name]);
    if (price !== null) return (tokens * price) / unit;
  }
  return null;
}

function priceOf(value: unknown): number | null {
  const price = typeof value === 'string' && value.trim() !== '' ? Number(value) : nearestDouble(value);
  return typeof price === 'number' && Number.isFinite(price) && price >= 0 ? price : null;
}

function firstTokens(usage: JsonObject, names: readonly string[]): number | null {
  const value = names
    .map((name) => nearestDouble(usage[name]))
    .find((tokens) => typeof tokens === 'number' && tokens >= 0 && tokens <= MAX_TOKENS);
  return typeof value === 'number' ? Math.round(value) : null;
}
