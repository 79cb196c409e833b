import { Resolver } from 'node:dns/promises';
import { provideConfig, WebhooksConfig } from '@app/config';
import { DispatchModule } from '@app/dispatch';
import { EventsModule } from '@app/events';
import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DeliveryQueue, webhookDeliveriesQueue } from './deliveries/delivery-queue.js';
import { WebhookDeliveryEntity } from './deliveries/webhook-delivery.entity.js';
import { WebhookDeliveryRepository } from './deliveries/webhook-delivery.repository.js';
import { WebhookDeliveryService } from './deliveries/webhook-delivery.service.js';
import { WebhookEventEntity } from './deliveries/webhook-event.entity.js';
import { WebhookStorageEntity } from './deliveries/webhook-storage.entity.js';
import { DeliveryStorage } from './deliveries/delivery-storage.js';
import { NewDeliveries } from './deliveries/new-deliveries.js';
import { EgressGuard } from './egress-guard.js';
import { HttpEventProvider } from './http-event.provider.js';
import { WebhookEntity } from './webhook.entity.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookService } from './webhook.service.js';

/** Each name server is asked twice; `timeout` is the time limit of the first attempt, in milliseconds. */
const RESOLVE_LIMITS = { timeout: 2000, tries: 2 };

/** Provides `HttpEventProvider` in every process, because every process reports the health of the provider. */
@Module({
  imports: [
    TypeOrmModule.forFeature([WebhookEntity, WebhookDeliveryEntity, WebhookEventEntity, WebhookStorageEntity]),
    DispatchModule,
    EventsModule,
    ExecutionsModule,
    webhookDeliveriesQueue,
  ],
  providers: [
    provideConfig(WebhooksConfig),
    { provide: Resolver, useFactory: () => new Resolver(RESOLVE_LIMITS) },
    EgressGuard,
    WebhookRepository,
    WebhookService,
    WebhookDeliveryRepository,
    DeliveryQueue,
    DeliveryStorage,
    NewDeliveries,
    WebhookDeliveryService,
    HttpEventProvider,
  ],
  exports: [
    WebhookService,
    WebhookDeliveryService,
    WebhookRepository,
    WebhookDeliveryRepository,
    DeliveryQueue,
    EgressGuard,
  ],
})
export class WebhooksModule {}
