import {
  credentialsOf,
  decoded,
  hostsOf,
  withoutBrackets,
  type HostAndPort,
  type UrlCredentials,
} from './url-authority.js';

export type RedisNode = HostAndPort;

/** Without a user: `default`. */
interface Credentials extends UrlCredentials {
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
      sentinels: hostsOf(hosts, SENTINEL_PORT),
      name: decoded(name, 'name of the primary'),
      database: Number(database ?? 0),
    };
  }
  if (path !== '' && path !== '/') throw new Error('a cluster has no numbered databases: expected no path');
  return { kind: 'cluster', ...shared, nodes: hostsOf(hosts, REDIS_PORT) };
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
