import { isJsonObject, type JsonObject } from '@app/kernel';
import { RuntimeFailure } from '../runtime.js';

/** How to reach one MCP server of an execution environment. */
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
 * Reads `mcp_servers`: `{name: {url, headers?, type?}}` or `{name: {command, args?, env?}}`. `${NAME}` in any text stands for a
 * variable of the execution's environment. Servers switched off (`null`, `enabled: false`, `disabled: true`) are left out.
 */
export function readMcpServers(servers: JsonObject, environment: Variables): McpServerSettings[] {
  return Object.entries(servers).flatMap(([name, value]) => {
    if (value === null) return [];
    if (!isJsonObject(value)) throw new RuntimeFailure(`The MCP server ${name} is not described by an object`);
    if (value['enabled'] === false || value['disabled'] === true) return [];
    return [readServer(name, value, environment)];
  });
}

/** Values of the settings that are secret: nobody puts them there to be read. */
export function mcpSecrets(settings: readonly McpServerSettings[]): string[] {
  return settings.flatMap((server) =>
    server.transport === 'stdio' ? [] : Object.values(server.headers).flatMap(credentials),
  );
}

function readServer(name: string, value: JsonObject, environment: Variables): McpServerSettings {
  const expand = (text: string) => expandVariables(text, environment);
  const { url, command } = value;
  if (typeof url === 'string' && url !== '') {
    const expanded = expand(url);
    if (!URL.canParse(expanded) || !/^https?:$/.test(new URL(expanded).protocol)) {
      throw new RuntimeFailure(`The MCP server ${name} has no usable http(s) url`);
    }
    const transport = value['type'] === 'sse' || value['transport'] === 'sse' ? 'sse' : 'http';
    return { transport, name, url: expanded, headers: texts(value['headers'], expand) };
  }
  if (typeof command === 'string' && command !== '') {
    const args = Array.isArray(value['args']) ? value['args'].map((argument) => expand(String(argument))) : [];
    return {
      transport: 'stdio',
      name,
      command: expand(command),
      args,
      env: { ...environment, ...texts(value['env'], expand) },
    };
  }
  throw new RuntimeFailure(`The MCP server ${name} has neither a url nor a command`);
}

function expandVariables(text: string, environment: Variables): string {
  return text.replace(/\$\{([A-Za-z_]\w*)\}/g, (whole, name: string) => environment[name] ?? whole);
}

function texts(value: unknown, expand: (text: string) => string): Record<string, string> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, expand(typeof item === 'string' ? item : JSON.stringify(item))]),
  );
}

/** `Bearer abc` is shown without its scheme as readily as with it. */
function credentials(header: string): string[] {
  const bare = header.replace(/^(?:Bearer|Basic|UserKey|Token)\s+/i, '');
  return [header, bare];
}
