import { isDeepStrictEqual } from 'node:util';
import { invalid, type Fault } from './errors.js';
import { isJsonObject, type JsonObject } from './json.js';

/** The value that keys which may not write a resource get in place of its secret values. */
export const HIDDEN_VALUE = '***';

type Path = readonly string[];

/** A kind of JSON object with secret values in some places. */
export interface SecretPlaces {
  /** Returns whether the value at the path is a secret one, given the names of the secret variables. */
  readonly isSecret: (path: Path, value: unknown, names: ReadonlySet<string>) => boolean;
  /** Returns the names of the secret variables of an object. */
  readonly namesIn: (json: JsonObject) => readonly string[];
}

/** Secret: the values of the variables that `secrets` names, and those in MCP servers. */
export const ENVIRONMENT_SECRETS: SecretPlaces = { isSecret: isSecretOfEnvironment, namesIn: secretNamesIn };

/** Secret: the values in `headers` and `env` of one MCP server. */
export const MCP_SERVER_SECRETS: SecretPlaces = { isSecret: isSecretOfMcpServer, namesIn: () => [] };

/** Secret: all values of the configuration of an integration, except lists of names. */
export const INTEGRATION_SECRETS: SecretPlaces = {
  isSecret: ([field = ''], value) => !LISTS_OF_NAMES.includes(field) && typeof value !== 'object',
  namesIn: () => [],
};

/** Secret: those of the `execution_environment` in the settings of a project. */
export const PROJECT_SECRETS: SecretPlaces = {
  isSecret: ([field, ...path], value, names) =>
    field === 'execution_environment' && isSecretOfEnvironment(path, value, names),
  namesIn: ({ execution_environment: environment }) => (isJsonObject(environment) ? secretNamesIn(environment) : []),
};

const LISTS_OF_NAMES: readonly string[] = ['secrets', 'start_variables'];
const SECRET_FIELDS_OF_MCP_SERVER: readonly string[] = ['headers', 'env'];

/** Returns the object as stored, or with `***` in place of each secret value. */
export function presentSecrets(places: SecretPlaces, stored: JsonObject, showSecrets: boolean): JsonObject {
  if (showSecrets) return stored;
  const names = new Set(places.namesIn(stored));
  return changeSecrets(places, names, stored, {}, (value) => (value === null ? null : HIDDEN_VALUE));
}

/**
 * Returns the object that a write stores: `***` in place of a secret value becomes the stored value of the same name,
 * because it was copied from a response that hid it. Throws `invalid` that names each `***` without a stored value.
 * `field` is the path of the object in the command.
 */
export function restoreSecrets(places: SecretPlaces, sent: JsonObject, stored: JsonObject, field: Path): JsonObject {
  const faults: Fault[] = [];
  // A variable that only the stored object names as secret was hidden as well.
  const names = new Set([...places.namesIn(sent), ...places.namesIn(stored)]);
  const restored = changeSecrets(places, names, sent, stored, (value, before, path) => {
    if (value !== HIDDEN_VALUE) return value;
    if (before === undefined) faults.push({ path: [...field, ...path], msg: NOT_STORED, type: 'value_error' });
    return before;
  });
  if (faults.length > 0) throw invalid(faults);
  return restored;
}

const NOT_STORED = `${HIDDEN_VALUE} stands for a hidden value, and none of this name is stored`;

/** Throws `invalid` that names each `***` in place of a secret value of an object of which nothing is stored yet. */
export function rejectHiddenSecrets(places: SecretPlaces, sent: JsonObject | undefined, field: Path): void {
  if (mayHideSecrets(sent)) restoreSecrets(places, sent, {}, field);
}

/** Returns false only if the object has no hidden values, so that its write does not need the stored object. */
export function mayHideSecrets(sent: JsonObject | undefined): sent is JsonObject {
  return sent !== undefined && JSON.stringify(sent).includes(HIDDEN_VALUE);
}

/**
 * Calls `change` for each secret value, with the value in the same place of `stored`. Recursive: bodies, and so stored
 * objects, have at most 64 levels.
 */
function changeSecrets(
  { isSecret }: SecretPlaces,
  names: ReadonlySet<string>,
  sent: JsonObject,
  stored: JsonObject,
  change: (value: unknown, before: unknown, path: Path) => unknown,
): JsonObject {
  const walk = (value: unknown, before: unknown, path: Path): unknown => {
    if (path.length > 0 && isSecret(path, value, names)) return change(value, before, path);
    if (Array.isArray(value)) {
      // Items have no names: in a list of another length, or if anything else differs, an item could be any of the stored
      // ones.
      const items: readonly unknown[] = Array.isArray(before) && before.length === value.length ? before : [];
      return value.map((item: unknown, index) => {
        const stands = isCopyOf(item, items[index]) ? items[index] : undefined;
        return walk(item, stands, [...path, String(index)]);
      });
    }
    return isJsonObject(value) ? walkObject(value, isJsonObject(before) ? before : {}, path) : value;
  };
  const walkObject = (value: JsonObject, before: JsonObject, path: Path): JsonObject =>
    Object.fromEntries(
      Object.entries(value).map(([name, property]) => {
        const same = Object.hasOwn(before, name) ? before[name] : undefined;
        return [name, walk(property, same, [...path, name])];
      }),
    );
  return walkObject(sent, stored, []);
}

/** Returns whether the value equals the stored one, except where it has `***`. */
function isCopyOf(value: unknown, stored: unknown): boolean {
  if (value === HIDDEN_VALUE) return stored !== undefined;
  if (Array.isArray(value)) {
    return (
      Array.isArray(stored) && value.length === stored.length && value.every((one, at) => isCopyOf(one, stored[at]))
    );
  }
  if (!isJsonObject(value)) return isDeepStrictEqual(value, stored);
  return isJsonObject(stored) && Object.entries(value).every(([name, one]) => isCopyOf(one, stored[name]));
}

function isSecretOfEnvironment([field, name, ...path]: Path, value: unknown, names: ReadonlySet<string>): boolean {
  if (field === 'env_vars') return name !== undefined && names.has(name) && path.length === 0;
  return field === 'mcp_servers' && isSecretOfMcpServer(path, value);
}

/** Headers or variables that are no object are secret as a whole. */
function isSecretOfMcpServer(path: Path, value: unknown): boolean {
  const isInside = path.length === 2 || (path.length === 1 && !isJsonObject(value));
  return isInside && SECRET_FIELDS_OF_MCP_SERVER.includes(path[0] ?? '');
}

function secretNamesIn({ secrets }: JsonObject): readonly string[] {
  return Array.isArray(secrets) ? secrets.filter((name): name is string => typeof name === 'string') : [];
}
