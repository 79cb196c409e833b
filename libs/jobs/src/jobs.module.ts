import { AgentsModule } from '@app/agents';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { TeamsModule } from '@app/teams';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JobEntity } from './job.entity.js';
import { JobRepository } from './job.repository.js';
import { JobService } from './job.service.js';
import { JobTargetService } from './job-target.service.js';
import { JobTriggerService } from './job-trigger.service.js';
import { JobWebhookService } from './job-webhook.service.js';
import { WebhookMessageEntity } from './webhook-message.entity.js';
import { WebhookMessageRepository } from './webhook-message.repository.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([JobEntity, WebhookMessageEntity]),
    AgentsModule,
    EnvironmentsModule,
    ExecutionsModule,
    TeamsModule,
  ],
  providers: [
    JobRepository,
    WebhookMessageRepository,
    JobTargetService,
    JobTriggerService,
    JobWebhookService,
    JobService,
  ],
  exports: [JobService, JobTriggerService, JobWebhookService],
})
export class JobsModule {}
