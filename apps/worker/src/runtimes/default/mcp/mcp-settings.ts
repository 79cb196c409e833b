import { isJsonObject, type JsonObject } from '@app/kernel';
import type { Lease } from '../../../control-plane/lease.js';
import { RuntimeFailure } from '../../runtime.js';

/** Connection settings of one MCP server of an execution environment. */
export type McpServerSettings =
  | {
      readonly transport: 'http' | 'sse';
      readonly name: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | {
      readonly transport: 'stdio';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };

type Variables = Readonly<Record<string, string>>;

/**
 * Reads `mcp_servers`: `{name: {url, headers?, type?}}` or `{name: {command, args?, env?}}`. `${NAME}` in any string is
 * replaced by that variable of the execution's environment. Omits disabled servers (`null`, `enabled: false`,
 * `disabled: true`). Throws a RuntimeFailure for invalid settings, and for withheld variables in a URL or a command:
 * they would control which host or program receives the other values. Headers may contain withheld variables.
 */
export function readMcpServers(
  lease: Pick<Lease, 'mcpServers' | 'environment' | 'withheldVariables'>,
): McpServerSettings[] {
  return Object.entries(lease.mcpServers).flatMap(([name, value]) => {
    if (value === null) return [];
    if (!isJsonObject(value)) throw new RuntimeFailure(`The settings of the MCP server ${name} are not an object`);
    if (value['enabled'] === false || value['disabled'] === true) return [];
    const withheld = Object.hasOwn(lease.withheldVariables, name) ? (lease.withheldVariables[name] ?? []) : [];
    return [readServer(name, value, lease.environment, withheld)];
  });
}

/** Returns the secret values in the settings: all headers of HTTP servers. */
export function mcpSecrets(settings: readonly McpServerSettings[]): string[] {
  return settings.flatMap((server) =>
    server.transport === 'stdio' ? [] : Object.values(server.headers).flatMap(credentials),
  );
}

function readServer(
  name: string,
  value: JsonObject,
  environment: Variables,
  withheld: readonly string[],
): McpServerSettings {
  const expand = (text: string) => expandVariables(text, environment, rejectWithheld(name, withheld));
  const { url, command } = value;
  if (typeof url === 'string' && url !== '') {
    const expanded = expand(url);
    if (!URL.canParse(expanded) || !/^https?:$/.test(new URL(expanded).protocol)) {
      throw new RuntimeFailure(`The url of the MCP server ${name} is not a valid http or https URL`);
    }
    const transport = value['type'] === 'sse' || value['transport'] === 'sse' ? 'sse' : 'http';
    return {
      transport,
      name,
      url: expanded,
      headers: texts(value['headers'], (text) => expandVariables(text, environment)),
    };
  }
  if (typeof command === 'string' && command !== '') {
    const args = Array.isArray(value['args']) ? value['args'].map((argument) => expand(String(argument))) : [];
    return {
      transport: 'stdio',
      name,
      command: expand(command),
      args,
      env: { ...without(environment, withheld), ...texts(value['env'], expand) },
    };
  }
  throw new RuntimeFailure(`The MCP server ${name} has neither a url nor a command`);
}

/** Calls `check` with the name of each variable that it replaces. */
function expandVariables(text: string, environment: Variables, check?: (name: string) => void): string {
  return text.replace(/\$\{([A-Za-z_]\w*)\}/g, (whole, name: string) => {
    check?.(name);
    return environment[name] ?? whole;
  });
}

function rejectWithheld(server: string, withheld: readonly string[]): (name: string) => void {
  return (name) => {
    if (!withheld.includes(name)) return;
    throw new RuntimeFailure(`The MCP server ${server} uses ${name}, which start_variables of its agent does not list`);
  };
}

function without(environment: Variables, names: readonly string[]): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}

function texts(value: unknown, expand: (text: string) => string): Record<string, string> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, expand(typeof item === 'string' ? item : JSON.stringify(item))]),
  );
}

/** Returns the header value with and without its scheme, because a server may show the bare credential. */
function credentials(header: string): string[] {
  const bare = header.replace(/^(?:Bearer|Basic|UserKey|Token)\s+/i, '');
  return [header, bare];
}
