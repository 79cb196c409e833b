import { RunnablesModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WorkflowEntity, WorkflowVersionEntity } from './workflow.entity.js';
import { WorkflowRepository } from './workflow.repository.js';
import { WorkflowService } from './workflow.service.js';
import { WorkflowSource } from './workflow.source.js';

@Module({
  imports: [TypeOrmModule.forFeature([WorkflowEntity, WorkflowVersionEntity]), RunnablesModule],
  providers: [WorkflowRepository, WorkflowService, WorkflowSource],
  exports: [WorkflowService],
})
export class WorkflowsModule {}
