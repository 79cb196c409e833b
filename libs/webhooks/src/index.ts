export { WebhooksModule } from './webhooks.module.js';
export { WebhookService } from './webhook.service.js';
export {
  WEBHOOK_STATUSES,
  type CreateWebhook,
  type UpdateWebhook,
  type Webhook,
  type WebhookFilter,
  type WebhookStatus,
} from './webhook.types.js';
