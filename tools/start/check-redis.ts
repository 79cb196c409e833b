import { certificatesOf, loadConfig, parseRedisUrl, RedisConfig } from '@app/config';
import { checkRedis, type RedisAddress } from '../provision/redis-connection.js';

/** Throws ProvisionError if the Redis of the settings is not ready: no server, node of a cluster or sentinel responds. */
export async function checkConfiguredRedis(): Promise<void> {
  const config = loadConfig(RedisConfig);
  await checkRedis(addressesOf(config), config.url);
}

function addressesOf(config: RedisConfig): RedisAddress[] {
  const target = parseRedisUrl(config.url);
  const tls = certificatesOf(config);
  if (target.kind === 'sentinel') {
    const { sentinelUsername, sentinelPassword } = config;
    const credentials = { username: sentinelUsername ?? undefined, password: sentinelPassword ?? undefined };
    return target.sentinels.map((node) => ({ ...node, ...credentials, tls }));
  }
  const { username, password } = target;
  const nodes = target.kind === 'single' ? [target.node] : target.nodes;
  return nodes.map((node) => ({ ...node, username, password, tls }));
}
