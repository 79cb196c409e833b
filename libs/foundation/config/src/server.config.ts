import { EnvVar } from './env-var.js';
import { integer, trustedProxies, webOrigins } from './parsers.js';

/** Web pages that may call both APIs. `*` is safe: browsers never add the API key header by themselves. */
export class CrossOriginConfig {
  @EnvVar('CORS_ORIGINS', webOrigins, {
    default: [],
    doc: 'Origins of web pages that may call the APIs, separated by commas (https://app.example.com); *: all. Default: none.',
  })
  readonly origins!: readonly string[];
}

/** Reverse proxies. The limits on failing requests apply to the address of the client, see docs/guides/limits.md. */
export class ProxyConfig {
  @EnvVar('TRUST_PROXY', trustedProxies, {
    default: 0,
    doc:
      'Proxies whose X-Forwarded-For names the client: their number, or a list, separated by commas, of their ' +
      'addresses, networks and the names loopback, linklocal and uniquelocal. Default: 0, the client is the peer of ' +
      'the connection.',
  })
  readonly trusted!: number | readonly string[];
}

/** Shutdown of a server: it drains, then rejects new requests and exits at most five seconds after the grace period. */
export class ShutdownConfig {
  @EnvVar('SHUTDOWN_GRACE_MS', integer({ min: 0, max: 600_000 }), {
    default: 10_000,
    doc: 'Time for running requests to finish at shutdown, in milliseconds.',
  })
  readonly graceMs!: number;

  @EnvVar('SHUTDOWN_DRAIN_MS', integer({ min: 0, max: 600_000 }), {
    default: 0,
    doc:
      'Time in milliseconds before the grace period of a shutdown, in which the readiness check fails and requests are still ' +
      'served. Behind a load balancer: longer than the load balancer needs to detect the failing check.',
  })
  readonly drainMs!: number;
}
