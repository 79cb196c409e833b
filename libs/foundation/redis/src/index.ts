export { RedisModule } from './redis.module.js';
export type { RedisClient } from './redis-client.js';
export { RedisConnections } from './redis.connections.js';
export type { ChannelListener, Subscriptions } from './subscriptions.js';
