import { RedisModule } from '@app/redis';
import { DatabaseClockModule, DatabaseModule } from '@app/database';
import { IdentityModule } from '@app/identity';
import { Module } from '@nestjs/common';
import { ControlPlaneModule } from './app.module.js';
import { Bootstrap } from './bootstrap.js';
import { DispatcherModule } from './dispatcher.module.js';
import { ControlPlanePipeline } from './pipeline.js';

@Module({ imports: [IdentityModule], providers: [Bootstrap] })
class BootstrapModule {}

/** Serves the API. */
@Module({ imports: [ControlPlaneModule, BootstrapModule] })
export class HttpRoleModule {}

/** Runs the background work, while other processes serve the API. Serves only its own health and metrics. */
@Module({
  imports: [
    DatabaseModule,
    DatabaseClockModule,
    RedisModule,
    ControlPlanePipeline,
    IdentityModule,
    BootstrapModule,
    DispatcherModule,
  ],
})
export class DispatcherRoleModule {}

/** Both roles in one process. */
@Module({ imports: [ControlPlaneModule, BootstrapModule, DispatcherModule] })
export class AllRolesModule {}
