import { DispatchModule } from '@app/dispatch';
import { EventsModule } from '@app/events';
import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExecutionAnalyticsRepository } from './analytics/execution-analytics.repository.js';
import { ExecutionAnalyticsService } from './analytics/execution-analytics.service.js';
import { AnalyticsSummaryRepository } from './analytics/analytics-summary.repository.js';
import { UsagePricing } from './analytics/usage-pricing.js';
import { DeliveryRepository } from './deliveries/delivery.repository.js';
import { DeliveryService } from './deliveries/delivery.service.js';
import { TimelineRepository } from './timeline/timeline.repository.js';
import { TimelineService } from './timeline/timeline.service.js';
import { ExecutionAdmission } from './executions/execution-admission.js';
import { ExecutionChangePublisher } from './executions/execution-change-publisher.js';
import { ExecutionCountsEntity } from './executions/execution-counts.entity.js';
import { ExecutionEventService } from './events/execution-event.service.js';
import { ExecutionFence } from './leases/execution-fence.js';
import { ExecutionFileEntity } from './files/execution-file.entity.js';
import { ExecutionFileRepository } from './files/execution-file.repository.js';
import { ExecutionFileService } from './files/execution-file.service.js';
import { ExecutionFinishedHandler } from './executions/execution-finished.handler.js';
import { ExecutionQueuedHandler } from './deliveries/execution-queued.handler.js';
import { ExecutionStreamService } from './events/execution-stream.service.js';
import { ExecutionEntity } from './executions/execution.entity.js';
import { ExecutionRecordEntity } from './task-records/execution-record.entity.js';
import { ExecutionRepository } from './executions/execution.repository.js';
import { ExecutionService } from './executions/execution.service.js';
import { ExecutionTransitions } from './executions/execution-transitions.js';
import { JobRunsRepository } from './job-runs/job-runs.repository.js';
import { JobRunsService } from './job-runs/job-runs.service.js';
import { LeaseReleaseService } from './leases/lease-release.service.js';
import { LeaseRepository } from './leases/lease.repository.js';
import { LeaseService } from './leases/lease.service.js';
import { ExecutionMessageEntity } from './sessions/execution-message.entity.js';
import { ExecutionPlanRepository } from './plans/execution-plan.repository.js';
import { ExecutionPlanService } from './plans/execution-plan.service.js';
import { ExecutionPlannedHandler } from './plans/execution-planned.handler.js';
import { ExecutionSessionEntity } from './sessions/execution-session.entity.js';
import { SessionMessageEntity } from './sessions/session-message.entity.js';
import { SessionRepository } from './sessions/session.repository.js';
import { ConversationService } from './sessions/conversation.service.js';
import { SessionService } from './sessions/session.service.js';
import { ExecutionStepEntity } from './steps/execution-step.entity.js';
import { ExecutionStepRepository } from './steps/execution-step.repository.js';
import { ExecutionStepService } from './steps/execution-step.service.js';
import { TaskRecordEntity } from './task-records/task-record.entity.js';
import { TaskRecordRepository } from './task-records/task-record.repository.js';
import { ExecutionSummaryRepository } from './summaries/execution-summary.repository.js';
import { ExecutionSummaryService } from './summaries/execution-summary.service.js';
import { QueueLoadService } from './deliveries/queue-load.service.js';
import { OrphanedWorkService } from './deliveries/orphaned-work.service.js';
import { TaskRecordService } from './task-records/task-record.service.js';

const entities = [
  ExecutionEntity,
  ExecutionCountsEntity,
  ExecutionSessionEntity,
  ExecutionMessageEntity,
  SessionMessageEntity,
  TaskRecordEntity,
  ExecutionRecordEntity,
  ExecutionStepEntity,
  ExecutionFileEntity,
];
const repositories = [
  ExecutionRepository,
  LeaseRepository,
  DeliveryRepository,
  JobRunsRepository,
  SessionRepository,
  TaskRecordRepository,
  ExecutionStepRepository,
  ExecutionFileRepository,
  AnalyticsSummaryRepository,
  ExecutionAnalyticsRepository,
  ExecutionSummaryRepository,
  TimelineRepository,
  ExecutionPlanRepository,
];
const services = [
  ExecutionService,
  TimelineService,
  LeaseService,
  LeaseReleaseService,
  ExecutionEventService,
  ExecutionStreamService,
  JobRunsService,
  SessionService,
  ConversationService,
  TaskRecordService,
  ExecutionStepService,
  ExecutionFileService,
  ExecutionPlanService,
  ExecutionAnalyticsService,
  ExecutionSummaryService,
  DeliveryService,
  QueueLoadService,
  OrphanedWorkService,
];

/** The module provides the topic handlers, because every process that commits an outbox message also relays it. */
@Module({
  imports: [TypeOrmModule.forFeature(entities), DispatchModule, EventsModule, ModelsModule],
  providers: [
    ...repositories,
    ...services,
    ExecutionAdmission,
    ExecutionTransitions,
    ExecutionChangePublisher,
    ExecutionFence,
    UsagePricing,
    ExecutionQueuedHandler,
    ExecutionFinishedHandler,
    ExecutionPlannedHandler,
  ],
  exports: services,
})
export class ExecutionsModule {}
