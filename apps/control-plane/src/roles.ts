import { ConnectionsModule } from '@app/connections';
import { DatabaseModule } from '@app/database';
import { HttpModule } from '@app/http';
import { IdentityModule } from '@app/identity';
import { Module } from '@nestjs/common';
import { ControlPlaneModule } from './app.module.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { Bootstrap } from './bootstrap.js';
import { DispatcherModule } from './dispatcher.module.js';

@Module({ imports: [IdentityModule], providers: [Bootstrap] })
class BootstrapModule {}

/** Answers requests. */
@Module({ imports: [ControlPlaneModule, BootstrapModule] })
export class HttpRoleModule {}

/** Relays, recovers and reaps beside separate HTTP processes; it answers nothing but its health. */
@Module({
  imports: [DatabaseModule, ConnectionsModule, HttpModule, IdentityModule, BootstrapModule, DispatcherModule],
  providers: [BearerGuard],
})
export class DispatcherRoleModule {}

/** Both in one process. */
@Module({ imports: [ControlPlaneModule, BootstrapModule, DispatcherModule] })
export class AllRolesModule {}
