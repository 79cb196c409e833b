import { DispatchConfig, provideConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { DispatchModule } from './dispatch.module.js';
import { OutboxMetrics } from './outbox/outbox-metrics.js';
import { OutboxSweepTask } from './outbox/outbox-sweep.task.js';
import { PeriodicTasks } from './periodic/periodic-tasks.js';

/** Background work of the dispatcher role: the outbox sweeper, and the runner of periodic tasks. */
@Module({
  imports: [DispatchModule, ScheduleModule.forRoot()],
  providers: [provideConfig(DispatchConfig), PeriodicTasks, OutboxSweepTask, OutboxMetrics],
  exports: [PeriodicTasks],
})
export class DispatchHandlersModule {}
