import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { AnalyticsController } from './analytics.controller.js';
import { ExecutionTasksController } from './execution-tasks.controller.js';

@Module({ imports: [ExecutionsModule], controllers: [AnalyticsController, ExecutionTasksController] })
export class AnalyticsHttpModule {}
