import type { CreateExecution, Runnable } from '@app/executions';
import { isJsonObject, type JsonObject } from '@app/kernel';

/** Returns the parameters that the texts of a runnable use and the start does not set. */
export function unsetParameters(runnable: Runnable | undefined, { definition }: CreateExecution): string[] {
  const { params = {} } = definition ?? {};
  return (runnable?.usedParameters ?? []).filter((name) => !isSet(params, name.split('.')));
}

function isSet(params: JsonObject, path: readonly string[]): boolean {
  let value: unknown = params;
  for (const name of path) {
    if (!(isJsonObject(value) || Array.isArray(value)) || !Object.hasOwn(value, name)) return false;
    value = (value as JsonObject)[name];
  }
  return true;
}
