import { ExecutionsModule } from '@app/executions';
import { RequestedRunsModule } from '@app/orchestration';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TaskEntity } from './task.entity.js';
import { TaskRepository } from './task.repository.js';
import { TaskService } from './task.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([TaskEntity]), ExecutionsModule, RequestedRunsModule],
  providers: [TaskRepository, TaskService],
  exports: [TaskService],
})
export class TasksModule {}
