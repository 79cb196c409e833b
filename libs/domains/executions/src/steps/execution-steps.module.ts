import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LeasesModule } from '../leases/leases.module.js';
import { TaskRecordsModule } from '../task-records/task-records.module.js';
import { ExecutionStepEntity } from './execution-step.entity.js';
import { ExecutionStepRepository } from './execution-step.repository.js';
import { ExecutionStepService } from './execution-step.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([ExecutionStepEntity]), LeasesModule, TaskRecordsModule],
  providers: [ExecutionStepRepository, ExecutionStepService],
  exports: [ExecutionStepService],
})
export class ExecutionStepsModule {}
