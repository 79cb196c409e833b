import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { StrandedWorkTask } from './stranded-work.task.js';

/** What a dispatcher does for runs. */
@Module({ imports: [EnvironmentsModule, ExecutionsModule], providers: [StrandedWorkTask] })
export class RunsHandlersModule {}
