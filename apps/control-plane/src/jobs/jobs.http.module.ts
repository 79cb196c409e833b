import { JobsModule } from '@app/jobs';
import { Module } from '@nestjs/common';
import { PublicAddressModule } from '../public-address/public-address.module.js';
import { JobWebhookController } from './job-webhook.controller.js';
import { JobsController } from './jobs.controller.js';

@Module({ imports: [JobsModule, PublicAddressModule], controllers: [JobWebhookController, JobsController] })
export class JobsHttpModule {}
