import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LeasesModule } from '../leases/leases.module.js';
import { ExecutionRecordEntity } from './execution-record.entity.js';
import { TaskRecordEntity } from './task-record.entity.js';
import { TaskRecordRepository } from './task-record.repository.js';
import { TaskRecordService } from './task-record.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([TaskRecordEntity, ExecutionRecordEntity]), LeasesModule],
  providers: [TaskRecordRepository, TaskRecordService],
  exports: [TaskRecordRepository, TaskRecordService],
})
export class TaskRecordsModule {}
