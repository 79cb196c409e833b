import { RunnablesModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WorkflowEntity, WorkflowVersionEntity } from './workflow.entity.js';
import { WorkflowRepository } from './workflow.repository.js';
import { WorkflowStepChecker } from './workflow-step-checker.js';
import { WorkflowService } from './workflow.service.js';
import { WorkflowSource } from './workflow.source.js';

@Module({
  imports: [TypeOrmModule.forFeature([WorkflowEntity, WorkflowVersionEntity]), RunnablesModule],
  providers: [WorkflowRepository, WorkflowStepChecker, WorkflowService, WorkflowSource],
  exports: [WorkflowService],
})
export class WorkflowsModule {}
