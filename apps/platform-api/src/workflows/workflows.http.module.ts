import { RequestedRunsModule } from '@app/orchestration';
import { WorkflowsModule } from '@app/workflows';
import { Module } from '@nestjs/common';
import { WorkflowRunsController } from './workflow-runs.controller.js';
import { WorkflowsController } from './workflows.controller.js';

@Module({ imports: [RequestedRunsModule, WorkflowsModule], controllers: [WorkflowsController, WorkflowRunsController] })
export class WorkflowsHttpModule {}
