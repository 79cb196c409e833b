import { ClockModule } from '@app/clock';
import { RedisConnections } from '@app/connections';
import { DatabaseModule } from '@app/database';
import { IdentityModule } from '@app/identity';
import { Global, Module } from '@nestjs/common';

/**
 * Replaces Redis, over which identity broadcasts revoked keys. Without the broadcast a revocation takes effect within
 * a second as well, so this process needs only the database.
 */
const noRedis = {
  subscriptions: { open: () => Promise.resolve() },
  commands: { publish: () => Promise.resolve(0) },
};

@Global()
@Module({
  providers: [{ provide: RedisConnections, useValue: noRedis }],
  exports: [RedisConnections],
})
class NoRedisModule {}

@Module({ imports: [ClockModule, NoRedisModule, DatabaseModule, IdentityModule] })
export class AdminModule {}
