import { placeholdersOfStep } from '@app/kernel';
import type { Workflow } from './platform-for-caller.js';

const PARAMETER = /^params\.([^.]+)/;

/** Returns the names of the parameters that the steps of a workflow use, in their order. */
export function parametersOf({ steps }: Pick<Workflow, 'steps'>): string[] {
  const used = steps.flatMap((step) => placeholdersOfStep(step)).map(({ name }) => PARAMETER.exec(name)?.[1]);
  return [...new Set(used.filter((name) => name !== undefined))];
}
