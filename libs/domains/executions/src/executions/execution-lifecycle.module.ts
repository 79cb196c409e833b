import { OutboxTopicsModule } from '@app/dispatch';
import { EventsModule } from '@app/events';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LifecycleModule } from '../lifecycle/lifecycle.module.js';
import { SessionTurnsModule } from '../session-turns/session-turns.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { ExecutionAdmission } from './execution-admission.js';
import { ExecutionChangePublisher } from './execution-change-publisher.js';
import { ExecutionCountsEntity } from './execution-counts.entity.js';
import { ExecutionFinishedHandler } from './execution-finished.handler.js';
import { executionFinished, executionQueued } from './execution.events.js';
import { ExecutionTransitions } from './execution-transitions.js';
import { ExecutionEntity } from './execution.entity.js';
import { ExecutionRepository } from './execution.repository.js';
import { ExecutionService } from './execution.service.js';

/** Start, state and end of executions. The gate is provided globally. */
@Module({
  imports: [
    TypeOrmModule.forFeature([ExecutionEntity, ExecutionCountsEntity]),
    OutboxTopicsModule.forFeature(executionQueued, executionFinished),
    LifecycleModule,
    EventsModule,
    SessionTurnsModule,
    UsageModule,
  ],
  providers: [
    ExecutionRepository,
    ExecutionAdmission,
    ExecutionTransitions,
    ExecutionChangePublisher,
    ExecutionService,
    ExecutionFinishedHandler,
  ],
  exports: [ExecutionRepository, ExecutionTransitions, ExecutionChangePublisher, ExecutionService],
})
export class ExecutionLifecycleModule {}
