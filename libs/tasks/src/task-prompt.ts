import type { JsonObject } from '@app/kernel';

/**
 * What an agent is told to do: the task's name and, where it has any, its parameters as JSON. Nothing in either is
 * interpreted, so what a caller sends can not reach beyond its own task. The JSON is one line: indented, what nests
 * deeply would become many times as long as the request that brought it.
 */
export function taskPrompt(name: string, parameters: JsonObject): string {
  if (Object.keys(parameters).length === 0) return name;
  return `${name}\n\nParameters:\n${JSON.stringify(parameters)}`;
}
