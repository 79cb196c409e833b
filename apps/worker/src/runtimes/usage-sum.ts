import type { JsonObject } from '@app/kernel';
import type { RuntimeUsage } from './runtime.js';

/** Returns null without usage. Has a model only if all have the same, because its prices apply to the sum. */
export function sumOf(usages: readonly (RuntimeUsage | null)[]): RuntimeUsage | null {
  const given = usages.filter((usage) => usage !== null);
  const [first] = given;
  if (first === undefined) return null;
  const total = (field: Exclude<keyof RuntimeUsage, 'model'>): number =>
    given.reduce((sum, usage) => sum + usage[field], 0);
  return {
    prompt_tokens: total('prompt_tokens'),
    completion_tokens: total('completion_tokens'),
    total_tokens: total('total_tokens'),
    model: given.every(({ model }) => model === first.model) ? first.model : '',
    requests: total('requests'),
    tool_calls: total('tool_calls'),
  };
}

/** Reads a reported usage; null if it is none. */
export function readUsage(usage: JsonObject): RuntimeUsage | null {
  if (typeof usage['prompt_tokens'] !== 'number') return null;
  const count = (field: keyof RuntimeUsage): number => (typeof usage[field] === 'number' ? usage[field] : 0);
  return {
    prompt_tokens: count('prompt_tokens'),
    completion_tokens: count('completion_tokens'),
    total_tokens: count('total_tokens'),
    model: typeof usage['model'] === 'string' ? usage['model'] : '',
    requests: count('requests'),
    tool_calls: count('tool_calls'),
  };
}
