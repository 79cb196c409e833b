import { DomainError, grants, isJsonObject, SECRET_PREFIX, type Caller, type JsonObject } from '@app/kernel';

/**
 * Variables with which shells, runtimes, package managers, TLS libraries, HTTP clients and common tools are configured.
 */
const CONFIGURING_VARIABLES = [
  /^(?:PATH|HOME|IFS|SHELL|SHELLOPTS|ENV|BASH_.*|ZDOTDIR|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|BROWSER|TMPDIR|XDG_.*)$/i,
  /^(?:LD_.*|DYLD_.*|GCONV_PATH|GLIBC_.*|MALLOC_.*|NODE_(?!ENV$).*|PYTHON.*|VIRTUAL_ENV|PERL.*|RUBY.*|LUA_.*|PHP.*)$/i,
  /^(?:_?JAVA_.*|JDK_.*|CLASSPATH|DOTNET_.*|CORECLR_.*|COR_.*|GO(?:PROXY|FLAGS|PATH|ROOT|ENV|SUMDB|PRIVATE|TOOLCHAIN))$/i,
  /^(?:NPM_.*|YARN_.*|PNPM_.*|COREPACK_.*|BUN_.*|DENO_.*|PIP_.*|PIPX_.*|UV_.*|POETRY_.*|CONDA_.*|GEM_.*|BUNDLE_.*)$/i,
  /^(?:CARGO_.*|RUST.*|MAVEN_.*|GRADLE_.*|COMPOSER_.*|NUGET_.*|HOMEBREW_.*|GIT_.*|SSH_.*|DOCKER_.*|KUBECONFIG)$/i,
  /^(?:.*_PROXY|SSL_.*|OPENSSL_.*|.*_CA_BUNDLE|.*_CA_CERTS?|CURL_.*|WGETRC|RES_OPTIONS|HOSTALIASES|LOCALDOMAIN)$/i,
  /^(?:LESS(?:OPEN|CLOSE)|PS[0-4]|FPATH|CDPATH|VIMINIT|EXINIT|TERMINFO.*|MAKE(?:FLAGS|FILES)|SUDO_.*|GNUPGHOME|PG.*FILE)$/i,
  /^(?:ANSIBLE_.*|TF_.*|R_.*|JULIA_.*|ERL_.*|ELIXIR_.*|TS_NODE_.*|TSX_.*|ELECTRON_.*|GTK_.*|GIO_.*|QT_.*)$/i,
  /^(?:PLAYWRIGHT_.*|PUPPETEER_.*|CHROME_PATH|AWS_(?:.*_FILE|ENDPOINT_URL.*)|(?:OPENAI|ANTHROPIC)_(?:BASE_URL|API_BASE))$/i,
];

/**
 * A name that the environment of a process cannot contain: text after `=` would become the value of another variable.
 */
const INVALID_NAME = /^$|[=\s\p{Cc}]/u;

/** An execution environment from which a run inherits. */
export interface EnvironmentLayer {
  /** For error messages, for example `the agent 0198…`. */
  readonly name: string;
  readonly environment: JsonObject;
}

/**
 * Checks the `execution_environment` that a caller requests for a run or a job. Without `agents:write` it may only add
 * plain variables: anything else could read the secrets of an agent or execute code on a worker. To store it in an agent,
 * a caller needs this scope as well. Throws `insufficient_scope` that names the first part that is not allowed.
 */
export function checkRequestedEnvironment(caller: Pick<Caller, 'scopes'>, environment: JsonObject | undefined): void {
  if (environment === undefined || mayOverride(caller)) return;
  const reason = privilegedPart(environment);
  if (reason !== undefined) throw missingScope(reason);
}

/**
 * Checks the environment of an integration, which is merged over that of the agents that name it. Without
 * `agents:write` it may set variables, but nothing that executes code on a worker. Throws `insufficient_scope` that
 * names the first part that does.
 */
export function checkIntegrationEnvironment(caller: Pick<Caller, 'scopes'>, environment: JsonObject): void {
  if (mayOverride(caller)) return;
  const part = ['mcp_servers', 'start_variables'].find((name) => !isEmpty(environment[name]));
  if (part !== undefined) throw missingScope(`configuration.${part} acts on the runs of agents`);
  const configuring = Object.keys(variablesOf(environment)).find(configuresPrograms);
  if (configuring !== undefined) throw missingScope(configuringReason(configuring));
}

/**
 * Checks that a changed environment redacts all values that the stored one redacts. Without `agents:write`, a key must
 * not make the value of an agent's variable visible in its events. Throws `insufficient_scope` that names the variable.
 */
export function checkKeptSecrets(caller: Pick<Caller, 'scopes'>, before: JsonObject, after: JsonObject): void {
  if (mayOverride(caller)) return;
  const kept = new Set(redactedNamesOf(after));
  const dropped = redactedNamesOf(before).find((name) => !kept.has(name));
  if (dropped !== undefined)
    throw missingScope(`configuration.secrets would no longer name ${JSON.stringify(dropped)}`);
}

/**
 * Checks that a requested environment sets no variable of a layer. Throws `insufficient_scope` that names the variable.
 */
export function checkNewVariables(environment: JsonObject | undefined, layers: readonly EnvironmentLayer[]): void {
  const reason = environment === undefined ? undefined : overriddenVariable(environment, layers);
  if (reason !== undefined) throw missingScope(reason);
}

/**
 * Checks that a caller may start a run with the environment of another start, which may contain credentials of the user
 * of that start. Throws `insufficient_scope` without `agents:write`, except for that user or if the environment is
 * empty.
 */
export function checkRepeatedEnvironment(
  caller: Pick<Caller, 'scopes' | 'userId'>,
  repeated: { readonly user_id: string | null; readonly execution_environment: JsonObject },
): void {
  const isOwn = repeated.user_id !== null && repeated.user_id === caller.userId;
  if (isOwn || mayOverride(caller) || Object.values(repeated.execution_environment).every(isEmpty)) return;
  throw missingScope('another user set the execution_environment of this execution');
}

/** Returns whether the caller may override what agents, teams and environments set. */
export function mayOverride(caller: Pick<Caller, 'scopes'>): boolean {
  return grants(caller, 'agents:write');
}

/** Returns why the environment requires `agents:write`, whatever it is merged with; undefined if it does not. */
export function privilegedPart(environment: JsonObject): string | undefined {
  const other = Object.entries(environment).find(([name, value]) => name !== 'env_vars' && !isEmpty(value));
  if (other !== undefined) return `execution_environment.${other[0]} is not a new variable`;
  for (const [name, value] of Object.entries(variablesOf(environment))) {
    if (INVALID_NAME.test(name)) return `the variable ${JSON.stringify(name)} cannot be set in a process`;
    if (configuresPrograms(name)) return configuringReason(name);
    if (typeof value === 'string' && value.startsWith(SECRET_PREFIX)) {
      return `the variable ${name} names a stored secret`;
    }
  }
  return undefined;
}

/** Returns which variable of the environment a layer sets already; undefined if all are new. */
export function overriddenVariable(environment: JsonObject, layers: readonly EnvironmentLayer[]): string | undefined {
  for (const name of Object.keys(variablesOf(environment))) {
    const layer = layers.find((candidate) => Object.hasOwn(variablesOf(candidate.environment), name));
    if (layer !== undefined) return `${layer.name} sets the variable ${name}`;
  }
  return undefined;
}

/** Returns whether the environment sets variables. */
export function hasVariables(environment: JsonObject | undefined): boolean {
  return environment !== undefined && Object.keys(variablesOf(environment)).length > 0;
}

const configuresPrograms = (name: string): boolean => CONFIGURING_VARIABLES.some((pattern) => pattern.test(name));
const configuringReason = (name: string): string => `the variable ${name} configures programs of the worker`;

function variablesOf({ env_vars: variables }: JsonObject): JsonObject {
  return isJsonObject(variables) ? variables : {};
}

function redactedNamesOf({ secrets }: JsonObject): readonly unknown[] {
  return Array.isArray(secrets) ? secrets : [];
}

/** Empty values count as absent, because some clients send all fields. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function missingScope(reason: string): DomainError {
  return new DomainError('insufficient_scope', `This key lacks the required scope: agents:write (${reason})`);
}
