import { OutboxTopicsModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { executionPlanned } from '../executions/execution.events.js';
import { ExecutionLifecycleModule } from '../executions/execution-lifecycle.module.js';
import { LeasesModule } from '../leases/leases.module.js';
import { ExecutionPlanRepository } from './execution-plan.repository.js';
import { ExecutionPlanService } from './execution-plan.service.js';
import { ExecutionPlannedHandler } from './execution-planned.handler.js';

@Module({
  imports: [OutboxTopicsModule.forFeature(executionPlanned), ExecutionLifecycleModule, LeasesModule],
  providers: [ExecutionPlanRepository, ExecutionPlanService, ExecutionPlannedHandler],
  exports: [ExecutionPlanService],
})
export class ExecutionPlansModule {}
