import type { JsonObject } from '@app/kernel';
import type { Lease } from '../control-plane/lease.js';
import type { RuntimeUsage } from './runtime.js';

/**
 * Returns null without usage. The sum names a model only if all parts have the same one, because its prices apply to
 * it.
 */
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

/** Reads a reported usage; null if the value is not a usage. */
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

/** Returns the usage that the attempt of the lease reported before it waited for input; null without one. */
export function usageSoFar({ usage, earlierUsage }: Pick<Lease, 'usage' | 'earlierUsage'>): RuntimeUsage | null {
  return usageWithout(readUsage(usage), readUsage(earlierUsage));
}

/** Returns `usage` without `earlier`, which it includes. */
export function usageWithout(usage: RuntimeUsage | null, earlier: RuntimeUsage | null): RuntimeUsage | null {
  if (usage === null || earlier === null) return usage;
  const rest = (field: Exclude<keyof RuntimeUsage, 'model'>): number => Math.max(0, usage[field] - earlier[field]);
  return {
    prompt_tokens: rest('prompt_tokens'),
    completion_tokens: rest('completion_tokens'),
    total_tokens: rest('total_tokens'),
    model: usage.model,
    requests: rest('requests'),
    tool_calls: rest('tool_calls'),
  };
}
