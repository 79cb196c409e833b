import { DispatchModule } from '@app/dispatch';
import { EventsModule } from '@app/events';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AnalyticsRepository } from './analytics.repository.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';
import { ExecutionAnnouncer } from './execution-announcer.js';
import { ExecutionCountsEntity } from './execution-counts.entity.js';
import { ExecutionEventService } from './execution-event.service.js';
import { ExecutionFence } from './execution-fence.js';
import { ExecutionFinishedHandler } from './execution-finished.handler.js';
import { ExecutionQueuedHandler } from './execution-queued.handler.js';
import { ExecutionStreamService } from './execution-stream.service.js';
import { ExecutionEntity } from './execution.entity.js';
import { ExecutionRecordEntity } from './execution-record.entity.js';
import { ExecutionRepository } from './execution.repository.js';
import { ExecutionService } from './execution.service.js';
import { JobRunsRepository } from './job-runs.repository.js';
import { JobRunsService } from './job-runs.service.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseRepository } from './lease.repository.js';
import { LeaseService } from './lease.service.js';
import { ExecutionMessageEntity } from './execution-message.entity.js';
import { ExecutionSessionEntity } from './execution-session.entity.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';
import { TaskRecordEntity } from './task-record.entity.js';
import { TaskRecordRepository } from './task-record.repository.js';
import { StrandedWorkService } from './stranded-work.service.js';
import { TaskRecordService } from './task-record.service.js';

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
