import { RequestedRunsModule } from '@app/runs';
import { WorkflowsModule } from '@app/workflows';
import { Module } from '@nestjs/common';
import { WorkflowsController } from './workflows.controller.js';

@Module({ imports: [RequestedRunsModule, WorkflowsModule], controllers: [WorkflowsController] })
export class WorkflowsHttpModule {}
