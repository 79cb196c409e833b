import { ClockModule } from '@app/clock';
import { RedisConnections } from '@app/redis';
import { DatabaseModule } from '@app/database';
import { IdentityModule } from '@app/identity';
import { Global, Module } from '@nestjs/common';

/**
 * Replaces the broadcast of revoked keys over Redis. A revocation takes effect within a second without it too, so this
 * process needs only the database.
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
