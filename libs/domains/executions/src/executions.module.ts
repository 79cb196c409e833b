import { Module } from '@nestjs/common';
import { AnalyticsModule } from './analytics/analytics.module.js';
import { WorkerDeliveriesModule } from './worker-deliveries/worker-deliveries.module.js';
import { ExecutionEventsModule } from './events/execution-events.module.js';
import { ExecutionLifecycleModule } from './executions/execution-lifecycle.module.js';
import { ExecutionFilesModule } from './files/execution-files.module.js';
import { JobRunsModule } from './job-runs/job-runs.module.js';
import { LeasesModule } from './leases/leases.module.js';
import { ExecutionPlansModule } from './plans/execution-plans.module.js';
import { ConversationsModule } from './conversations/conversations.module.js';
import { ExecutionStepsModule } from './steps/execution-steps.module.js';
import { UserSessionsModule } from './user-sessions/user-sessions.module.js';
import { WorkStopsModule } from './stops/work-stops.module.js';
import { ExecutionSummariesModule } from './summaries/execution-summaries.module.js';
import { TaskRecordsModule } from './task-records/task-records.module.js';
import { TimelineModule } from './timeline/timeline.module.js';
import { SessionTurnsModule } from './session-turns/session-turns.module.js';
import { UsageModule } from './usage/usage.module.js';

const features = [
  AnalyticsModule,
  WorkerDeliveriesModule,
  ExecutionEventsModule,
  ExecutionFilesModule,
  ExecutionLifecycleModule,
  ExecutionPlansModule,
  ExecutionStepsModule,
  ExecutionSummariesModule,
  JobRunsModule,
  LeasesModule,
  ConversationsModule,
  TaskRecordsModule,
  TimelineModule,
  SessionTurnsModule,
  UsageModule,
  UserSessionsModule,
  WorkStopsModule,
];

/**
 * The features of executions, one module per folder. They provide the topic handlers, because every process that commits
 * an outbox message also relays it.
 */
@Module({ imports: features, exports: features })
export class ExecutionsModule {}
