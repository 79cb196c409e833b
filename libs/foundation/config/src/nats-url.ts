import { credentialsOf, hostsOf, type UrlCredentials } from './url-authority.js';

/** The servers that NATS_URL names. A name without a password is a token. */
export interface NatsTarget extends UrlCredentials {
  /** `host:port` of servers of one cluster; the others are discovered. */
  readonly servers: readonly string[];
  readonly tls: boolean;
}

const NATS_PORT = 4222;
const URL_PARTS = /^(nats|tls):\/\/(?:([^@/]*)@)?([^@/?#]*)\/*$/;

/**
 * Parses the address of NATS: `nats://user:password@host:4222,host:4222`; `tls` instead of `nats` encrypts the
 * connections. Throws an Error that does not repeat the value, because it may contain a password.
 */
export function parseNatsUrl(text: string): NatsTarget {
  const [, protocol, userInfo, hosts = ''] = URL_PARTS.exec(text) ?? [];
  if (protocol === undefined) {
    throw new Error(
      'expected nats://host:4222 or nats://user:password@host:4222,host:4222; tls instead of nats for TLS',
    );
  }
  const servers = hostsOf(hosts, NATS_PORT).map(
    ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
  );
  return { servers, ...credentialsOf(userInfo), tls: protocol === 'tls' };
}

/** Accepts the address of NATS and returns it unchanged. */
export function natsAddress(text: string): string {
  parseNatsUrl(text);
  return text.replace(/\/+$/, '');
}
