import { DispatchHandlersModule } from '@app/dispatch';
import { EnvironmentsHandlersModule } from '@app/environments';
import { ExecutionsHandlersModule } from '@app/executions';
import { IdempotencyModule } from '@app/idempotency';
import { IdentityHandlersModule } from '@app/identity';
import { JobsHandlersModule } from '@app/jobs';
import { PoliciesHandlersModule } from '@app/policies';
import { ResourcesHandlersModule } from '@app/resources';
import { OrchestrationHandlersModule } from '@app/orchestration';
import { TracesHandlersModule } from '@app/traces';
import { WebhooksHandlersModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { IdempotencyPruneTask } from './idempotency/idempotency-prune.task.js';
import { RunnableSourcesModule } from './runnable-sources.module.js';

/** The dispatcher role: queue consumers and periodic tasks, one handler module per domain. */
@Module({
  imports: [
    DispatchHandlersModule,
    IdempotencyModule,
    EnvironmentsHandlersModule,
    ExecutionsHandlersModule,
    IdentityHandlersModule,
    JobsHandlersModule,
    PoliciesHandlersModule,
    ResourcesHandlersModule,
    OrchestrationHandlersModule,
    TracesHandlersModule,
    WebhooksHandlersModule,
    RunnableSourcesModule,
  ],
  providers: [IdempotencyPruneTask],
})
export class DispatcherModule {}
