import { DispatchHandlersModule } from '@app/dispatch';
import { ExecutionsHandlersModule } from '@app/executions';
import { Module } from '@nestjs/common';

/** The dispatcher role: queue consumers and periodic tasks, one handler module per domain. */
@Module({ imports: [DispatchHandlersModule, ExecutionsHandlersModule] })
export class DispatcherModule {}
