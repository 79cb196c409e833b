import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { JobsModule } from '@app/jobs';
import { FairShareModule } from '@app/rate-limits';
import { Module } from '@nestjs/common';
import { PublicAddressModule } from '../public-address/public-address.module.js';
import { JobPresenter } from './job.presenter.js';
import { JobWebhookGuard } from './job-webhook.guard.js';
import { JobWebhookController } from './job-webhook.controller.js';
import { JobsController } from './jobs.controller.js';

@Module({
  imports: [ExecutionsModule, FairShareModule, JobsModule, PublicAddressModule, RunnablesModule],
  controllers: [JobWebhookController, JobsController],
  providers: [JobPresenter, JobWebhookGuard],
})
export class JobsHttpModule {}
