import { DispatchModule } from '@app/dispatch';
import { EventsModule } from '@app/events';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AnalyticsRepository } from './task-records/analytics.repository.js';
import { DeliveryRepository } from './deliveries/delivery.repository.js';
import { DeliveryService } from './deliveries/delivery.service.js';
import { ExecutionAnnouncer } from './executions/execution-announcer.js';
import { ExecutionCountsEntity } from './executions/execution-counts.entity.js';
import { ExecutionEventService } from './events/execution-event.service.js';
import { ExecutionFence } from './leases/execution-fence.js';
import { ExecutionFinishedHandler } from './executions/execution-finished.handler.js';
import { ExecutionQueuedHandler } from './deliveries/execution-queued.handler.js';
import { ExecutionStreamService } from './events/execution-stream.service.js';
import { ExecutionEntity } from './executions/execution.entity.js';
import { ExecutionRecordEntity } from './task-records/execution-record.entity.js';
import { ExecutionRepository } from './executions/execution.repository.js';
import { ExecutionService } from './executions/execution.service.js';
import { JobRunsRepository } from './job-runs/job-runs.repository.js';
import { JobRunsService } from './job-runs/job-runs.service.js';
import { LeaseReleaseService } from './leases/lease-release.service.js';
import { LeaseRepository } from './leases/lease.repository.js';
import { LeaseService } from './leases/lease.service.js';
import { ExecutionMessageEntity } from './sessions/execution-message.entity.js';
import { ExecutionSessionEntity } from './sessions/execution-session.entity.js';
import { SessionRepository } from './sessions/session.repository.js';
import { SessionService } from './sessions/session.service.js';
import { TaskRecordEntity } from './task-records/task-record.entity.js';
import { TaskRecordRepository } from './task-records/task-record.repository.js';
import { StrandedWorkService } from './deliveries/stranded-work.service.js';
import { TaskRecordService } from './task-records/task-record.service.js';

const entities = [
  ExecutionEntity,
  ExecutionCountsEntity,
  ExecutionSessionEntity,
  ExecutionMessageEntity,
  TaskRecordEntity,
  ExecutionRecordEntity,
];
const repositories = [
  ExecutionRepository,
  LeaseRepository,
  DeliveryRepository,
  JobRunsRepository,
  SessionRepository,
  TaskRecordRepository,
  AnalyticsRepository,
];
const services = [
  ExecutionService,
  LeaseService,
  LeaseReleaseService,
  ExecutionEventService,
  ExecutionStreamService,
  JobRunsService,
  SessionService,
  TaskRecordService,
  DeliveryService,
  StrandedWorkService,
];

/** The topic handlers are part of it, because every process that commits a message also relays it. */
@Module({
  imports: [TypeOrmModule.forFeature(entities), DispatchModule, EventsModule],
  providers: [
    ...repositories,
    ...services,
    ExecutionAnnouncer,
    ExecutionFence,
    ExecutionQueuedHandler,
    ExecutionFinishedHandler,
  ],
  exports: services,
})
export class ExecutionsModule {}
