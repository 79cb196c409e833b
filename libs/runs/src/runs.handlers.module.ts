import { DispatchHandlersModule } from '@app/dispatch';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { OrphanedWorkTask } from './orphaned-work.task.js';

/** Background work for runs, loaded by the dispatcher role. */
@Module({ imports: [DispatchHandlersModule, EnvironmentsModule, ExecutionsModule], providers: [OrphanedWorkTask] })
export class RunsHandlersModule {}
