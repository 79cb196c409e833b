import { RedisModule } from '@app/redis';
import { DatabaseClockModule, DatabaseModule } from '@app/database';
import { IdentityModule } from '@app/identity';
import { Module } from '@nestjs/common';
import { AgentsHttpModule } from './agents/agents.http.module.js';
import { AnalyticsHttpModule } from './analytics/analytics.http.module.js';
import { ClientConfigHttpModule } from './client-config/client-config.http.module.js';
import { ConsoleHttpModule } from './console/console.http.module.js';
import { ContextHttpModule } from './context/context.http.module.js';
import { EnvironmentsHttpModule } from './environments/environments.http.module.js';
import { WebhooksHttpModule } from './webhooks/webhooks.http.module.js';
import { EventBusHttpModule } from './event-bus/event-bus.http.module.js';
import { ExecutionsHttpModule } from './executions/executions.http.module.js';
import { IntegrationsHttpModule } from './integrations/integrations.http.module.js';
import { JobsHttpModule } from './jobs/jobs.http.module.js';
import { KnowledgeHttpModule } from './knowledge/knowledge.http.module.js';
import { ModelsHttpModule } from './models/models.http.module.js';
import { ControlPlanePipeline } from './pipeline.js';
import { PoliciesHttpModule } from './policies/policies.http.module.js';
import { ProjectsHttpModule } from './projects/projects.http.module.js';
import { RunnableSourcesModule } from './runnable-sources.module.js';
import { SkillsHttpModule } from './skills/skills.http.module.js';
import { RunnersHttpModule } from './runners/runners.http.module.js';
import { RuntimesHttpModule } from './runtimes/runtimes.http.module.js';
import { SecretsHttpModule } from './secrets/secrets.http.module.js';
import { SearchHttpModule } from './search/search.http.module.js';
import { SessionsHttpModule } from './sessions/sessions.http.module.js';
import { TeamsHttpModule } from './teams/teams.http.module.js';
import { TracesHttpModule } from './traces/traces.http.module.js';
import { WebSocketsHttpModule } from './web-sockets/web-sockets.http.module.js';
import { WorkerQueuesHttpModule } from './worker-queues/worker-queues.http.module.js';
import { WorkersHttpModule } from './workers/workers.http.module.js';
import { WorkflowsHttpModule } from './workflows/workflows.http.module.js';

/** All routes of the control plane with their pipeline. */
@Module({
  imports: [
    DatabaseModule,
    DatabaseClockModule,
    RedisModule,
    ControlPlanePipeline,
    IdentityModule,
    RunnableSourcesModule,
    ModelsHttpModule,
    EnvironmentsHttpModule,
    EventBusHttpModule,
    WorkerQueuesHttpModule,
    WorkersHttpModule,
    AgentsHttpModule,
    TeamsHttpModule,
    PoliciesHttpModule,
    ClientConfigHttpModule,
    ConsoleHttpModule,
    RuntimesHttpModule,
    ContextHttpModule,
    ExecutionsHttpModule,
    SessionsHttpModule,
    WebSocketsHttpModule,
    JobsHttpModule,
    AnalyticsHttpModule,
    ProjectsHttpModule,
    SkillsHttpModule,
    KnowledgeHttpModule,
    IntegrationsHttpModule,
    SecretsHttpModule,
    RunnersHttpModule,
    WorkflowsHttpModule,
    SearchHttpModule,
    WebhooksHttpModule,
    TracesHttpModule,
  ],
})
export class ControlPlaneModule {}
