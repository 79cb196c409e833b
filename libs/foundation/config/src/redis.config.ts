import { ConfigError, EnvVar } from './env-var.js';
import { certificateFile, privateKeyFile } from './pem-file.js';
import { text } from './parsers.js';
import { parseRedisUrl, redisAddress } from './redis-url.js';

/** Redis, which delivers messages and events. Its data can be lost without losing state. */
export class RedisConfig {
  @EnvVar('REDIS_URL', redisAddress, {
    doc:
      'URL of Redis 6.2 or newer with maxmemory-policy noeviction: redis://user:password@host:6379, ' +
      'redis+sentinel://user:password@host:26379,host:26379/name or redis+cluster://user:password@host:6379,host:6379; ' +
      'rediss instead of redis for TLS. If unset, `npm start` runs its own server.',
  })
  readonly url!: string;

  @EnvVar('REDIS_CA_FILE', certificateFile, {
    default: null,
    doc: 'PEM file with the certificates that sign those of Redis, for rediss URLs. Default: the authorities of Node.',
  })
  readonly ca?: string | null;

  @EnvVar('REDIS_CERT_FILE', certificateFile, {
    default: null,
    doc: 'PEM file with the client certificate, for a Redis that requires one (tls-auth-clients yes). Default: none.',
  })
  readonly cert?: string | null;

  @EnvVar('REDIS_KEY_FILE', privateKeyFile, {
    default: null,
    doc: 'PEM file with the private key of REDIS_CERT_FILE, without a passphrase. Default: none.',
  })
  readonly key?: string | null;

  @EnvVar('REDIS_SENTINEL_USERNAME', text(), {
    default: null,
    doc: 'User at the sentinels, which have users of their own. Default: the user `default`.',
  })
  readonly sentinelUsername?: string | null;

  @EnvVar('REDIS_SENTINEL_PASSWORD', text(), {
    default: null,
    doc: 'Password at the sentinels. Default: none; the password of the URL is that of the primary.',
  })
  readonly sentinelPassword?: string | null;
}

/** The certificates of encrypted connections; empty: the authorities of Node and no client certificate. */
export interface RedisCertificates {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Returns the certificates of the connections; undefined if they are not encrypted. Throws a ConfigError for files that
 * the URL does not use: without it, an operator could take an unencrypted connection for an encrypted one.
 */
export function certificatesOf({ url, ca, cert, key }: RedisConfig): RedisCertificates | undefined {
  const files = Object.entries({ REDIS_CA_FILE: ca, REDIS_CERT_FILE: cert, REDIS_KEY_FILE: key });
  const used = files.filter(([, pem]) => pem != null);
  if (!parseRedisUrl(url).tls) {
    if (used.length === 0) return undefined;
    throw new ConfigError(used.map(([name]) => `${name}: REDIS_URL must begin with rediss for TLS`));
  }
  if ((cert == null) !== (key == null)) {
    throw new ConfigError(['REDIS_CERT_FILE and REDIS_KEY_FILE: one of them is set without the other']);
  }
  return { ...(ca != null && { ca }), ...(cert != null && key != null && { cert, key }) };
}
