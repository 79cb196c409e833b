import { Module } from '@nestjs/common';

/** The dispatcher role: queue consumers and periodic tasks, one handler module per domain. */
@Module({ imports: [] })
export class DispatcherModule {}
