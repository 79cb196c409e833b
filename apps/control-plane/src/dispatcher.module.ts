import { DispatchHandlersModule } from '@app/dispatch';
import { ExecutionsHandlersModule } from '@app/executions';
import { PoliciesHandlersModule } from '@app/policies';
import { RunsHandlersModule } from '@app/runs';
import { Module } from '@nestjs/common';
import { IdempotencyPruneTask } from './idempotency/idempotency-prune.task.js';

/** The dispatcher role: queue consumers and periodic tasks, one handler module per domain. */
@Module({
  imports: [DispatchHandlersModule, ExecutionsHandlersModule, PoliciesHandlersModule, RunsHandlersModule],
  providers: [IdempotencyPruneTask],
})
export class DispatcherModule {}
