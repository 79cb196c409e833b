import { DispatchHandlersModule } from '@app/dispatch';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsHandlersModule, ExecutionsModule } from '@app/executions';
import { PoliciesHandlersModule } from '@app/policies';
import { Module } from '@nestjs/common';
import { IdempotencyPruneTask } from './idempotency/idempotency-prune.task.js';
import { StrandedWorkTask } from './worker-queues/stranded-work.task.js';

/** The dispatcher role: queue consumers and periodic tasks, one handler module per domain. */
@Module({
  imports: [
    DispatchHandlersModule,
    EnvironmentsModule,
    ExecutionsModule,
    ExecutionsHandlersModule,
    PoliciesHandlersModule,
  ],
  providers: [IdempotencyPruneTask, StrandedWorkTask],
})
export class DispatcherModule {}
