import { DispatchHandlersModule } from '@app/dispatch';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { OrphanedWorkTask } from './queues/orphaned-work.task.js';
import { QueueSamplesModule } from './queues/queue-samples.module.js';
import { QueueSamplingTask } from './queues/queue-sampling.task.js';

/** Background work for runs, loaded by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, EnvironmentsModule, ExecutionsModule, QueueSamplesModule],
  providers: [OrphanedWorkTask, QueueSamplingTask],
})
export class OrchestrationHandlersModule {}
