import type { Workflow } from './platform-for-caller.js';

const PARAMETER = /\{\{\s*params\.([A-Za-z_][\w-]*)/g;

/** Returns the names of the parameters that the steps of a workflow use, in their order. */
export function parametersOf({ steps }: Pick<Workflow, 'steps'>): string[] {
  const names = JSON.stringify(steps).matchAll(PARAMETER);
  return [...new Set([...names].map(([, name = '']) => name))];
}
