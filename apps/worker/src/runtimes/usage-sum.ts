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
