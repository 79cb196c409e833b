import { provideConfig, WebhooksConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EgressGuard } from './egress-guard.js';
import { WebhookEntity } from './webhook.entity.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookService } from './webhook.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([WebhookEntity])],
  providers: [provideConfig(WebhooksConfig), EgressGuard, WebhookRepository, WebhookService],
  exports: [WebhookService],
})
export class WebhooksModule {}
