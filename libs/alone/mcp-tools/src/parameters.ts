import { parametersIn } from '@app/workflow-grammar';
import type { Workflow } from './platform-for-caller.js';

/** Returns the names of the parameters that the steps of a workflow use, without paths in them, in their order. */
export function parametersOf({ steps }: Pick<Workflow, 'steps'>): string[] {
  return [...new Set(parametersIn(steps).flatMap((parameter) => parameter.split('.', 1)))];
}
