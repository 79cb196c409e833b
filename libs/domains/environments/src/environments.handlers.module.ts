import { provideConfig, RetentionConfig } from '@app/config';
import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { EnvironmentsModule } from './environments.module.js';
import { WorkerMetrics } from './workers/worker-metrics.js';
import { WorkerRetentionTask } from './workers/worker-retention.task.js';

/** The periodic tasks of environments, run by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, EnvironmentsModule],
  providers: [provideConfig(RetentionConfig), WorkerMetrics, WorkerRetentionTask],
})
export class EnvironmentsHandlersModule {}
