import { isJsonObject, type JsonObject } from '@app/kernel';

/** The `execution_environment` with which a run was started. */
export interface StartEnvironment {
  readonly environment: JsonObject;
  /** Whether it may override the layers before it. If not, only variables that no layer has are used. */
  readonly mayOverride: boolean;
}

/** The merged execution environments of a run. */
export interface ResolvedEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Names of variables whose values are redacted. */
  readonly secrets: readonly string[];
  /**
   * Names in `variables` that come from a start that must not override. Their values are plain texts, never references
   * to secrets.
   */
  readonly plainVariables: readonly string[];
  /** Settings by name, as stored. */
  readonly mcpServers: JsonObject;
  /**
   * By MCP server, the names in `variables` that the server does not receive: those that only the start sets, unless a
   * layer lists them in `start_variables`. Servers that the start defines receive all variables.
   */
  readonly withheldVariables: Readonly<Record<string, readonly string[]>>;
}

/**
 * Merges execution environments; later ones override earlier ones. `layers` are those of the environment, the
 * projects, the team, the agent and the integrations; `start` follows them. Values of variables that are not strings
 * are encoded as JSON; `null` removes a variable. MCP servers are merged by name; the names of secrets of all layers
 * are combined.
 */
export function resolveExecutionEnvironment(
  layers: readonly JsonObject[],
  start: StartEnvironment,
): ResolvedEnvironment {
  const owned = new Set(layers.flatMap((layer) => Object.keys(objectIn(layer, 'env_vars'))));
  const started = start.mayOverride ? start.environment : newVariablesOf(start.environment, owned);
  const all = [...layers, started];
  const startServers = objectIn(started, 'mcp_servers');
  const mcpServers = merged(all, 'mcp_servers');
  const variables = resolveVariables(all);
  const declared = new Set(all.flatMap((layer) => textsIn(layer, 'start_variables')));
  const withheld = Object.keys(objectIn(started, 'env_vars')).filter(
    (name) => Object.hasOwn(variables, name) && !owned.has(name) && !declared.has(name),
  );
  const restricted = withheld.length === 0 ? [] : Object.keys(mcpServers);
  return {
    variables,
    plainVariables: start.mayOverride ? [] : Object.keys(objectIn(started, 'env_vars')),
    secrets: [...new Set(all.flatMap((layer) => textsIn(layer, 'secrets')))],
    mcpServers,
    withheldVariables: Object.fromEntries(
      restricted.filter((name) => !Object.hasOwn(startServers, name)).map((name) => [name, withheld]),
    ),
  };
}

/** Returns the ids in `integration_ids` of execution environments, in order of first occurrence. */
export function integrationIdsIn(environments: readonly JsonObject[]): string[] {
  return [...new Set(environments.flatMap((environment) => textsIn(environment, 'integration_ids')))];
}

function newVariablesOf(environment: JsonObject, owned: ReadonlySet<string>): JsonObject {
  const variables = Object.entries(objectIn(environment, 'env_vars')).filter(([name]) => !owned.has(name));
  return { env_vars: Object.fromEntries(variables) };
}

/** Merges `env_vars`. */
export function resolveVariables(layers: readonly JsonObject[]): Record<string, string> {
  const present = Object.entries(merged(layers, 'env_vars')).filter(([, value]) => value !== null);
  return Object.fromEntries(
    present.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function merged(layers: readonly JsonObject[], key: string): JsonObject {
  return Object.fromEntries(layers.flatMap((layer) => Object.entries(objectIn(layer, key))));
}

function objectIn(layer: JsonObject, key: string): JsonObject {
  const value = layer[key];
  return isJsonObject(value) ? value : {};
}

function textsIn(layer: JsonObject, key: string): string[] {
  const value = layer[key];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
