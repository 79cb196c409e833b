import { OutboxTopicsModule } from '@app/dispatch';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { IdentityModule } from '@app/identity';
import { ProjectLookupModule } from '@app/projects';
import { RequestedRunsModule, RunEnvironmentsModule } from '@app/orchestration';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JobEntity } from './jobs/job.entity.js';
import { JobEnvironmentService } from './triggers/job-environment.service.js';
import { JobRepository } from './jobs/job.repository.js';
import { JobService } from './jobs/job.service.js';
import { BulkExecutionService } from './reruns/bulk-execution.service.js';
import { RerunService } from './reruns/rerun.service.js';
import { JobScheduleService } from './schedules/job-schedule.service.js';
import { JobRemarksService } from './triggers/job-remarks.service.js';
import { JobStarter } from './triggers/job-starter.js';
import { JobTargetService } from './triggers/job-target.service.js';
import { JobTriggerService } from './triggers/job-trigger.service.js';
import { JobFiringService } from './firing/job-firing.service.js';
import { JobInstantEntity } from './firing/job-instant.entity.js';
import { JobInstantRepository } from './firing/job-instant.repository.js';
import { JobInstantService } from './firing/job-instant.service.js';
import { jobScheduleChanged, JobScheduleChangedHandler } from './schedules/job-schedule-changed.handler.js';
import { JobSchedulers, jobSchedulesQueue } from './schedules/job-schedulers.js';
import { JobWebhookService } from './webhooks/job-webhook.service.js';
import { JobWebhookMessageEntity } from './webhooks/job-webhook-message.entity.js';
import { JobWebhookMessageRepository } from './webhooks/job-webhook-message.repository.js';
import { UnverifiedCalls } from './webhooks/unverified-calls.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([JobEntity, JobInstantEntity, JobWebhookMessageEntity]),
    jobSchedulesQueue,
    OutboxTopicsModule.forFeature(jobScheduleChanged),
    EnvironmentsModule,
    ExecutionsModule,
    IdentityModule,
    ProjectLookupModule,
    RequestedRunsModule,
    RunEnvironmentsModule,
    RunnablesModule,
  ],
  providers: [
    JobRepository,
    JobInstantRepository,
    JobWebhookMessageRepository,
    JobTargetService,
    JobEnvironmentService,
    JobRemarksService,
    JobStarter,
    JobTriggerService,
    UnverifiedCalls,
    JobWebhookService,
    JobScheduleService,
    JobService,
    JobInstantService,
    JobFiringService,
    JobSchedulers,
    JobScheduleChangedHandler,
    RerunService,
    BulkExecutionService,
  ],
  exports: [
    JobRepository,
    JobInstantRepository,
    JobWebhookMessageRepository,
    JobFiringService,
    JobInstantService,
    JobRemarksService,
    JobSchedulers,
    JobService,
    JobTriggerService,
    JobWebhookService,
    RerunService,
    BulkExecutionService,
  ],
})
export class JobsModule {}
