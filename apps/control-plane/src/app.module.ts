import { ConnectionsModule } from '@app/connections';
import { DatabaseModule } from '@app/database';
import { HttpModule } from '@app/http';
import { IdentityModule } from '@app/identity';
import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AgentsHttpModule } from './agents/agents.http.module.js';
import { AnalyticsHttpModule } from './analytics/analytics.http.module.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { Bootstrap } from './bootstrap.js';
import { ClientConfigHttpModule } from './client-config/client-config.http.module.js';
import { DispatcherModule } from './dispatcher.module.js';
import { EnvironmentsHttpModule } from './environments/environments.http.module.js';
import { EventsHttpModule } from './events/events.http.module.js';
import { ExecutionsHttpModule } from './executions/executions.http.module.js';
import { ModelsHttpModule } from './models/models.http.module.js';
import { WorkerQueuesHttpModule } from './worker-queues/worker-queues.http.module.js';

/** Every route of the control plane. */
@Module({
  imports: [
    DatabaseModule,
    ConnectionsModule,
    HttpModule,
    IdentityModule,
    ModelsHttpModule,
    EnvironmentsHttpModule,
    EventsHttpModule,
    WorkerQueuesHttpModule,
    AgentsHttpModule,
    ClientConfigHttpModule,
    ExecutionsHttpModule,
    AnalyticsHttpModule,
  ],
  providers: [{ provide: APP_GUARD, useClass: BearerGuard }, Bootstrap],
})
export class ControlPlaneModule {}

/** Both roles in one process: the routes, and what the dispatcher does in the background. */
@Module({ imports: [ControlPlaneModule, DispatcherModule] })
export class ControlPlaneWithDispatcherModule {}
