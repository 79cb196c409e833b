import type { JsonObject } from '@app/kernel';

/**
 * Returns the prompt of a task: its name, followed by its parameters as JSON if there are any. Placeholders are not
 * expanded. The JSON is not indented, because deeply nested parameters would become many times longer than the request.
 */
export function taskPrompt(name: string, parameters: JsonObject): string {
  if (Object.keys(parameters).length === 0) return name;
  return `${name}\n\nParameters:\n${JSON.stringify(parameters)}`;
}
