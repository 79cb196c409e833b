export { ConnectionsModule } from './connections.module.js';
export { RedisConnections } from './redis.connections.js';
