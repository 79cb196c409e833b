import { ConnectionsModule } from '@app/connections';
import { DatabaseModule } from '@app/database';
import { HttpModule } from '@app/http';
import { IdentityModule } from '@app/identity';
import { PoliciesModule } from '@app/policies';
import { Module } from '@nestjs/common';
import { AgentsHttpModule } from './agents/agents.http.module.js';
import { UserKeyGuard } from './auth/user-key.guard.js';
import { ExecutionsHttpModule } from './executions/executions.http.module.js';
import { IdentityHttpModule } from './identity/identity.http.module.js';
import { TasksHttpModule } from './tasks/tasks.http.module.js';

/** Every route of the platform API, and the policies that stand before the executions it starts. */
@Module({
  imports: [
    DatabaseModule,
    ConnectionsModule,
    HttpModule,
    IdentityModule,
    PoliciesModule,
    IdentityHttpModule,
    AgentsHttpModule,
    TasksHttpModule,
    ExecutionsHttpModule,
  ],
  providers: [UserKeyGuard],
})
export class PlatformApiModule {}
