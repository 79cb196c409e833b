import { provideConfig, RetentionConfig } from '@app/config';
import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { TraceRetentionRepository } from './trace-retention.repository.js';
import { TraceRetentionTask } from './trace-retention.task.js';

/** Background work for traces, loaded by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule],
  providers: [provideConfig(RetentionConfig), TraceRetentionRepository, TraceRetentionTask],
})
export class TracesHandlersModule {}
