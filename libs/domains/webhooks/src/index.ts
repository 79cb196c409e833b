export { WebhooksModule } from './webhooks.module.js';
export { WebhooksHandlersModule } from './webhooks.handlers.module.js';
export { WebhookService } from './webhook.service.js';
export {
  WEBHOOK_STATUSES,
  type CreateWebhook,
  type UpdateWebhook,
  type Webhook,
  type WebhookFilter,
  type WebhookStatus,
} from './webhook.types.js';
export { MAX_REPLAYED, WebhookDeliveryService } from './deliveries/webhook-delivery.service.js';
export {
  DELIVERY_STATUSES,
  type WebhookDelivery,
  type DeliveryFilter,
  type DeliveryStatus,
  type DeliverySummary,
  type ReplayRange,
} from './deliveries/webhook-delivery.types.js';
