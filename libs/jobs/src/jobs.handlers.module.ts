import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { JobsModule } from './jobs.module.js';
import { JobAlarmProcessor } from './job-alarm.processor.js';
import { JobFiringTask } from './job-firing.task.js';
import { JobInstantPruneTask } from './job-instant-prune.task.js';
import { JobInstantRepository } from './job-instant.repository.js';
import { JobRepository } from './job.repository.js';
import { JobScheduleReconcileService } from './job-schedule-reconcile.service.js';
import { JobScheduleReconcileTask } from './job-schedule-reconcile.task.js';
import { jobSchedulesQueue } from './job-schedulers.js';
import { ScheduleMetrics } from './schedule-metrics.js';
import { WebhookMessagePruneTask } from './webhook-message-prune.task.js';
import { WebhookMessageRepository } from './webhook-message.repository.js';

/** Background work for jobs, loaded by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, JobsModule, jobSchedulesQueue],
  providers: [
    JobRepository,
    JobInstantRepository,
    JobAlarmProcessor,
    JobFiringTask,
    JobInstantPruneTask,
    JobScheduleReconcileService,
    JobScheduleReconcileTask,
    ScheduleMetrics,
    WebhookMessageRepository,
    WebhookMessagePruneTask,
  ],
})
export class JobsHandlersModule {}
