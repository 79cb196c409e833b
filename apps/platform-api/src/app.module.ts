import { RedisModule } from '@app/redis';
import { DatabaseClockModule, DatabaseModule } from '@app/database';
import { IdentityModule } from '@app/identity';
import { PoliciesModule } from '@app/policies';
import { TracesModule } from '@app/traces';
import { Module } from '@nestjs/common';
import { AgentsHttpModule } from './agents/agents.http.module.js';
import { ExecutionsHttpModule } from './executions/executions.http.module.js';
import { IdentityHttpModule } from './identity/identity.http.module.js';
import { PlatformApiPipeline } from './pipeline.js';
import { RunnableSourcesModule } from './runnable-sources.module.js';
import { TasksHttpModule } from './tasks/tasks.http.module.js';
import { UsersHttpModule } from './users/users.http.module.js';
import { WorkflowsHttpModule } from './workflows/workflows.http.module.js';

/** All routes of the platform API with their pipeline, and the policies, which are evaluated before each execution.
 * Traces: each process stores the spans of the executions that it ends. */
@Module({
  imports: [
    DatabaseModule,
    DatabaseClockModule,
    RedisModule,
    PlatformApiPipeline,
    IdentityModule,
    PoliciesModule,
    RunnableSourcesModule,
    TracesModule,
    IdentityHttpModule,
    UsersHttpModule,
    AgentsHttpModule,
    TasksHttpModule,
    ExecutionsHttpModule,
    WorkflowsHttpModule,
  ],
})
export class PlatformApiModule {}
