import { EnvVar } from './env-var.js';
import { address } from './parsers.js';

/** Redis, which delivers messages and events. Its data can be lost without losing state. */
export class RedisConfig {
  @EnvVar('REDIS_URL', address(['redis', 'rediss']), {
    doc: 'URL of Redis 6.2 or newer with maxmemory-policy noeviction. If unset, `npm start` runs its own server.',
  })
  readonly url!: string;
}
