/** A host and port that a URL of Redis names. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  /** Undefined for the user `default`. */
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Whether connections are encrypted. */
  readonly tls: boolean;
}

/** The servers that a URL of Redis describes. */
export type RedisTarget =
  | ({ readonly kind: 'single'; readonly node: RedisNode } & Credentials)
  /** Sentinels, which name the current primary `name`. The credentials are those of the primary. */
  | ({
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisNode[];
      readonly name: string;
      readonly database: number;
    } & Credentials)
  /** Some nodes of a Redis Cluster; the others are discovered. */
  | ({ readonly kind: 'cluster'; readonly nodes: readonly RedisNode[] } & Credentials);

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;
const FORMS = 'redis://host:6379, redis+sentinel://host:26379,host:26379/name or redis+cluster://host:6379,host:6379';
const URL_PARTS = /^(redis|rediss)(\+sentinel|\+cluster)?:\/\/(?:([^@/]*)@)?([^@/?#]*)(\/[^?#]*)?([?#].*)?$/;

/**
 * Parses the address of Redis: `redis://` one server, `redis+sentinel://` the sentinels of a primary,
 * `redis+cluster://` nodes of a cluster; with `rediss` instead of `redis`, connections use TLS. Throws an Error that
 * states the expected form and does not repeat the value, because it may contain a password.
 */
export function parseRedisUrl(text: string): RedisTarget {
  const [, protocol, form, userInfo, hosts = '', path = '', rest = ''] = URL_PARTS.exec(text) ?? [];
  if (protocol === undefined) throw new Error(`expected ${FORMS}; rediss instead of redis for TLS`);
  const shared = { ...credentialsOf(userInfo), tls: protocol === 'rediss' };
  if (form === undefined) return { kind: 'single', ...shared, node: singleNode(text) };
  if (rest !== '') throw new Error(`expected ${protocol}${form}:// without ? and #`);
  if (form === '+sentinel') {
    const [, name, database] = /^\/([^/]+)(?:\/(\d{1,4}))?\/?$/.exec(path) ?? [];
    if (name === undefined) {
      throw new Error(`expected the name of the primary after the sentinels: ${protocol}+sentinel://host:26379/name`);
    }
    return {
      kind: 'sentinel',
      ...shared,
      sentinels: nodesOf(hosts, SENTINEL_PORT),
      name: decoded(name, 'name of the primary'),
      database: Number(database ?? 0),
    };
  }
  if (path !== '' && path !== '/') throw new Error('a cluster has no numbered databases: expected no path');
  return { kind: 'cluster', ...shared, nodes: nodesOf(hosts, REDIS_PORT) };
}

/** Accepts the address of Redis and returns it unchanged. */
export function redisAddress(text: string): string {
  parseRedisUrl(text);
  return text.replace(/\/+$/, '');
}

function singleNode(text: string): RedisNode {
  if (!URL.canParse(text) || new URL(text).hostname === '') {
    throw new Error(`expected one server; several: ${FORMS.slice(FORMS.indexOf('redis+'))}`);
  }
  const { hostname, port } = new URL(text);
  return { host: withoutBrackets(hostname), port: Number(port || REDIS_PORT) };
}

function nodesOf(hosts: string, defaultPort: number): RedisNode[] {
  return hosts.split(',').map((each) => {
    const [, host, port] = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(each.trim()) ?? [];
    if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) {
      throw new Error('expected host:port, separated by commas');
    }
    return { host: withoutBrackets(host), port: Number(port ?? defaultPort) };
  });
}

function credentialsOf(userInfo: string | undefined): Pick<Credentials, 'username' | 'password'> {
  if (userInfo === undefined) return { username: undefined, password: undefined };
  const end = userInfo.indexOf(':');
  const username = end < 0 ? userInfo : userInfo.slice(0, end);
  return {
    username: decoded(username, 'user') || undefined,
    password: end < 0 ? undefined : decoded(userInfo.slice(end + 1), 'password') || undefined,
  };
}

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`expected a percent-encoded ${part}`);
  }
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
