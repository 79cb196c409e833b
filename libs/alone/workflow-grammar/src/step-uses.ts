import { placeholdersIn } from '@app/kernel';
import type { UncheckedStep } from './workflow-step.js';

/** A name, and the path of the value in its step that contains it. */
export interface NameAt {
  readonly name: string;
  readonly path: readonly string[];
}

/** A use of another step. */
export interface StepUse extends NameAt {
  /** `order`: by `depends_on`. `condition`: by `when`. `output`: by its output in a template. */
  readonly by: 'order' | 'condition' | 'output';
}

/** The output of a step in a template, or the part of it at a path. */
export interface OutputName {
  readonly step: string;
  readonly path: readonly string[];
}

/** Returns what a name in a template means if it means the output of a step: `steps.<step>.output[.<path>]`. */
export function outputIn(name: string): OutputName | undefined {
  const [root, step = '', field, ...path] = name.split('.');
  return root === 'steps' && step !== '' && field === 'output' ? { step, path } : undefined;
}

const PARAMETER = 'params.';

/** Returns the name of a parameter, with its path, if a name in a template means one: `params.<name>[.<path>]`. */
function parameterIn(name: string): string | undefined {
  return name.length > PARAMETER.length && name.startsWith(PARAMETER) ? name.slice(PARAMETER.length) : undefined;
}

/** Returns the parameters that steps use, with their paths, each once and in their order. */
export function parametersIn(steps: readonly UncheckedStep[]): string[] {
  const names = steps.flatMap((step) => placeholdersOfStep(step).map(({ name }) => parameterIn(name)));
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Returns the steps that a step uses. It depends on each of them. Values of a wrong type are ignored. */
export function usesOf(step: UncheckedStep): StepUse[] {
  const { depends_on: dependsOn, when } = step;
  const conditions = Array.isArray(when)
    ? when.map((one: unknown, index) => [one, [String(index)]] as const)
    : [[when, []] as const];
  return [
    ...stringsIn(dependsOn).map(([name, index]) => ({ by: 'order' as const, name, path: ['depends_on', index] })),
    ...conditions.flatMap(([condition, path]) => {
      const name = (condition as { step?: unknown } | null | undefined)?.step;
      return typeof name === 'string' ? [{ by: 'condition' as const, name, path: ['when', ...path, 'step'] }] : [];
    }),
    ...placeholdersOfStep(step).flatMap(({ name, path }) => {
      const output = outputIn(name);
      return output === undefined ? [] : [{ by: 'output' as const, name: output.step, path }];
    }),
  ];
}

/** Returns the names in the templates of a step that mean neither a parameter nor the output of a step. */
export function unknownNamesIn(step: UncheckedStep): NameAt[] {
  return placeholdersOfStep(step).filter(({ name }) => outputIn(name) === undefined && parameterIn(name) === undefined);
}

function stringsIn(list: unknown): (readonly [string, string])[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.flatMap((item, index) => (typeof item === 'string' ? [[item, String(index)] as const] : []));
}

/** Returns the names in the templates of a step: its prompt, and the texts in the arguments of its tool. */
function placeholdersOfStep({ prompt, tool }: UncheckedStep): NameAt[] {
  const { arguments: toolArguments } = (tool ?? {}) as { arguments?: unknown };
  return [...placeholdersAt(prompt, ['prompt']), ...placeholdersAt(toolArguments, ['tool', 'arguments'])];
}

/** Returns the names in the texts of a value, at any depth. Is not recursive. */
function placeholdersAt(root: unknown, path: readonly string[]): NameAt[] {
  const names: NameAt[] = [];
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
