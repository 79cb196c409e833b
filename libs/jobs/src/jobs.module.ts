import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { IdentityModule } from '@app/identity';
import { ProjectMembershipsModule } from '@app/projects';
import { ResourcesModule } from '@app/resources';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JobEntity } from './job.entity.js';
import { JobEnvironmentService } from './job-environment.service.js';
import { JobRepository } from './job.repository.js';
import { JobService } from './job.service.js';
import { JobTargetService } from './job-target.service.js';
import { JobTriggerService } from './job-trigger.service.js';
import { PassedSchedulesService } from './passed-schedules.service.js';
import { JobWebhookService } from './job-webhook.service.js';
import { WebhookMessageEntity } from './webhook-message.entity.js';
import { WebhookMessageRepository } from './webhook-message.repository.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([JobEntity, WebhookMessageEntity]),
    EnvironmentsModule,
    ExecutionsModule,
    IdentityModule,
    ProjectMembershipsModule,
    ResourcesModule,
    RunnablesModule,
  ],
  providers: [
    JobRepository,
    WebhookMessageRepository,
    JobTargetService,
    JobEnvironmentService,
    JobTriggerService,
    JobWebhookService,
    JobService,
    PassedSchedulesService,
  ],
  exports: [PassedSchedulesService, JobService, JobTriggerService, JobWebhookService],
})
export class JobsModule {}
