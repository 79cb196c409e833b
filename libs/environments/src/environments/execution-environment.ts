import { isJsonObject, type JsonObject } from '@app/kernel';

/**
 * The variables an execution runs with: the `env_vars` of several execution environments, later ones over earlier ones
 * (environment, team, agent, then what the start itself said). Variables are texts; other values go in as JSON, and a
 * `null` takes a variable away again.
 */
export function resolveVariables(executionEnvironments: readonly JsonObject[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const { env_vars: declared } of executionEnvironments) {
    if (!isJsonObject(declared)) continue;
    for (const [name, value] of Object.entries(declared)) {
      if (value === null) delete variables[name];
      else variables[name] = typeof value === 'string' ? value : JSON.stringify(value);
    }
  }
  return variables;
}
