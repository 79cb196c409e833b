import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { WebhooksController } from './webhooks.controller.js';

@Module({ imports: [WebhooksModule], controllers: [WebhooksController] })
export class WebhooksHttpModule {}
