import { placeholdersIn } from '@app/kernel';
import type { UncheckedStep } from './workflow.types.js';

/** A name in a template, and the path of the template in the step. */
interface TemplateName {
  readonly name: string;
  readonly path: readonly string[];
}

/** Returns the names in the templates of a step: its prompt, and the texts in the arguments of its tool. */
export function templateNames({ prompt, tool }: UncheckedStep): TemplateName[] {
  const { arguments: toolArguments } = (tool ?? {}) as { arguments?: unknown };
  return [...namesIn(prompt, ['prompt']), ...namesIn(toolArguments, ['tool', 'arguments'])];
}

function namesIn(root: unknown, path: readonly string[]): TemplateName[] {
  const names: TemplateName[] = [];
  const pending: (readonly [unknown, readonly string[]])[] = [[root, path]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, at] = next;
    if (typeof value === 'string') {
      for (const { name } of placeholdersIn(value)) names.push({ name, path: at });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value).toReversed()) pending.push([inner, [...at, key]]);
    }
  }
  return names;
}
