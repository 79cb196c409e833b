import { DispatchModule } from '@app/dispatch';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { IdentityModule } from '@app/identity';
import { ProjectLookupModule } from '@app/projects';
import { ResourcesModule } from '@app/resources';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JobEntity } from './job.entity.js';
import { JobEnvironmentService } from './job-environment.service.js';
import { JobRepository } from './job.repository.js';
import { JobService } from './job.service.js';
import { JobScheduleService } from './job-schedule.service.js';
import { JobStarter } from './job-starter.js';
import { JobTargetService } from './job-target.service.js';
import { JobTriggerService } from './job-trigger.service.js';
import { JobFiringService } from './job-firing.service.js';
import { JobInstantEntity } from './job-instant.entity.js';
import { JobInstantRepository } from './job-instant.repository.js';
import { JobInstantService } from './job-instant.service.js';
import { JobScheduleChangedHandler } from './job-schedule-changed.handler.js';
import { JobSchedulers, jobSchedulesQueue } from './job-schedulers.js';
import { JobWebhookService } from './job-webhook.service.js';
import { WebhookMessageEntity } from './webhook-message.entity.js';
import { WebhookMessageRepository } from './webhook-message.repository.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([JobEntity, JobInstantEntity, WebhookMessageEntity]),
    jobSchedulesQueue,
    DispatchModule,
    EnvironmentsModule,
    ExecutionsModule,
    IdentityModule,
    ProjectLookupModule,
    ResourcesModule,
    RunnablesModule,
  ],
  providers: [
    JobRepository,
    JobInstantRepository,
    WebhookMessageRepository,
    JobTargetService,
    JobEnvironmentService,
    JobStarter,
    JobTriggerService,
    JobWebhookService,
    JobScheduleService,
    JobService,
    JobInstantService,
    JobFiringService,
    JobSchedulers,
    JobScheduleChangedHandler,
  ],
  exports: [JobFiringService, JobInstantService, JobSchedulers, JobService, JobTriggerService, JobWebhookService],
})
export class JobsModule {}
