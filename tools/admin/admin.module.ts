import { RedisConnections } from '@app/connections';
import { DatabaseModule } from '@app/database';
import { IdentityModule } from '@app/identity';
import { Clock, SystemClock } from '@app/kernel';
import { Global, Module } from '@nestjs/common';

/**
 * Identity tells other processes over Redis when a key is revoked, and hears it from them. This process revokes nothing
 * and remembers nothing, so it goes without Redis, and works where only the database can be reached.
 */
const nobodyToTell = {
  subscriptions: { open: () => Promise.resolve() },
  commands: { publish: () => Promise.resolve(0) },
};

@Global()
@Module({
  providers: [
    { provide: Clock, useClass: SystemClock },
    { provide: RedisConnections, useValue: nobodyToTell },
  ],
  exports: [Clock, RedisConnections],
})
class GroundModule {}

@Module({ imports: [GroundModule, DatabaseModule, IdentityModule] })
export class AdminModule {}
