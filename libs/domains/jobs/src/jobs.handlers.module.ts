import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { JobsModule } from './jobs.module.js';
import { JobFiringTask } from './firing/job-firing.task.js';
import { JobInstantPruneTask } from './firing/job-instant-prune.task.js';
import { JobScheduleProcessor } from './firing/job-schedule.processor.js';
import { JobScheduleReconcileService } from './schedules/job-schedule-reconcile.service.js';
import { JobScheduleReconcileTask } from './schedules/job-schedule-reconcile.task.js';
import { jobSchedulesQueue } from './schedules/job-schedulers.js';
import { ScheduleMetrics } from './firing/schedule-metrics.js';
import { JobWebhookMessagePruneTask } from './webhooks/job-webhook-message-prune.task.js';

/** Background work for jobs, loaded by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, JobsModule, jobSchedulesQueue],
  providers: [
    JobScheduleProcessor,
    JobFiringTask,
    JobInstantPruneTask,
    JobScheduleReconcileService,
    JobScheduleReconcileTask,
    ScheduleMetrics,
    JobWebhookMessagePruneTask,
  ],
})
export class JobsHandlersModule {}
