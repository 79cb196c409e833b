import { OutboxTopicsModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { executionFinished, executionQueued } from '../executions/execution.events.js';
import { LifecycleRepository } from './lifecycle.repository.js';
import { LifecycleService } from './lifecycle.service.js';

/** What commands do to executions. */
@Module({
  imports: [OutboxTopicsModule.forFeature(executionQueued, executionFinished)],
  providers: [LifecycleRepository, LifecycleService],
  exports: [LifecycleRepository, LifecycleService],
})
export class LifecycleModule {}
