import { ConnectionsModule } from '@app/connections';
import { DatabaseModule } from '@app/database';
import { HttpModule } from '@app/http';
import { IdentityModule } from '@app/identity';
import { Module } from '@nestjs/common';
import { AgentsHttpModule } from './agents/agents.http.module.js';
import { AnalyticsHttpModule } from './analytics/analytics.http.module.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { ClientConfigHttpModule } from './client-config/client-config.http.module.js';
import { EnvironmentsHttpModule } from './environments/environments.http.module.js';
import { EventsHttpModule } from './events/events.http.module.js';
import { ExecutionsHttpModule } from './executions/executions.http.module.js';
import { JobsHttpModule } from './jobs/jobs.http.module.js';
import { ModelsHttpModule } from './models/models.http.module.js';
import { PoliciesHttpModule } from './policies/policies.http.module.js';
import { TeamsHttpModule } from './teams/teams.http.module.js';
import { WorkerQueuesHttpModule } from './worker-queues/worker-queues.http.module.js';
import { WorkersHttpModule } from './workers/workers.http.module.js';

/** Every route of the control plane, and who may call it. */
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
    WorkersHttpModule,
    AgentsHttpModule,
    TeamsHttpModule,
    PoliciesHttpModule,
    ClientConfigHttpModule,
    ExecutionsHttpModule,
    JobsHttpModule,
    AnalyticsHttpModule,
  ],
  providers: [BearerGuard],
})
export class ControlPlaneModule {}
