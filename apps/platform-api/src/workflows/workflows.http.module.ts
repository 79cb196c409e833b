import { WorkflowsModule } from '@app/workflows';
import { Module } from '@nestjs/common';
import { WorkflowsController } from './workflows.controller.js';

@Module({ imports: [WorkflowsModule], controllers: [WorkflowsController] })
export class WorkflowsHttpModule {}
