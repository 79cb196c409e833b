import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({ imports: [WebhooksModule], controllers: [WebhookDeliveriesController, WebhooksController] })
export class WebhooksHttpModule {}
