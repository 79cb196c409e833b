import { DispatchConfig, provideConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DispatchModule } from './dispatch.module.js';
import { OutboxSweepTask } from './outbox/outbox-sweep.task.js';
import { PeriodicRunner } from './periodic/periodic-runner.js';

/** What a dispatcher adds: the sweeper, and the runner of every domain's periodic tasks. */
@Module({
  imports: [DispatchModule, DiscoveryModule],
  providers: [provideConfig(DispatchConfig), OutboxSweepTask, PeriodicRunner],
})
export class DispatchHandlersModule {}
