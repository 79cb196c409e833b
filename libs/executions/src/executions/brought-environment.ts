import { DomainError, grants, isJsonObject, type Caller, type JsonObject } from '@app/kernel';

/** Variables by which a program is made to load or run something else. */
const LOADS_CODE =
  /^(?:PATH|ENV|BASH_ENV|SHELLOPTS|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|PYTHON.*|PERL5.*|RUBY(?:OPT|LIB)|_?JAVA_.*|JDK_.*|GIT_.*|NPM_CONFIG_.*)$/i;

/**
 * What a caller may bring to a run or a job: commands of MCP servers, and variables that make other commands run, are
 * executed where the worker runs, so they need `agents:write`, as they do in an agent. Throws `forbidden`.
 */
export function checkBroughtEnvironment(caller: Pick<Caller, 'scopes'>, environment: JsonObject | undefined): void {
  if (environment === undefined || grants(caller, 'agents:write')) return;
  const part = commandIn(environment) ?? loaderIn(environment);
  if (part === undefined) return;
  throw new DomainError('forbidden', 'insufficient_scope', `This key lacks the required scope: agents:write (${part})`);
}

function commandIn({ mcp_servers: servers }: JsonObject): string | undefined {
  if (!isJsonObject(servers)) return undefined;
  const found = Object.entries(servers).find(([, server]) => isJsonObject(server) && Object.hasOwn(server, 'command'));
  return found === undefined ? undefined : `execution_environment.mcp_servers.${found[0]} brings a command`;
}

function loaderIn({ env_vars: variables, secrets }: JsonObject): string | undefined {
  const names = [variables, secrets].flatMap((values) => {
    if (Array.isArray(values)) return values.filter((value) => typeof value === 'string');
    return isJsonObject(values) ? Object.keys(values) : [];
  });
  const found = names.find((name) => LOADS_CODE.test(name));
  return found === undefined ? undefined : `the variable ${found} makes programs load code`;
}
