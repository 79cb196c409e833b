import { RequestedRunsModule } from '@app/orchestration';
import { WorkflowsModule } from '@app/workflows';
import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { WorkflowsController } from './workflows.controller.js';

@Module({ imports: [ModelsModule, RequestedRunsModule, WorkflowsModule], controllers: [WorkflowsController] })
export class WorkflowsHttpModule {}
