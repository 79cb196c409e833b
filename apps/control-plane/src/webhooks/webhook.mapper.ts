import { toWireTime, withoutUndefined } from '@app/kernel';
import type { Webhook, WebhookFilter } from '@app/webhooks';
import type { ListWebhooksQuery } from './dto/webhook.request.dto.js';
import type { WebhookResponse, WebhookWithSecretResponse } from './dto/webhook.response.dto.js';

export function toWebhookResponse(webhook: Webhook): WebhookResponse {
  const { previous_secret_expires_at: expiresAt } = webhook;
  return {
    id: webhook.id,
    organization_id: webhook.organization_id,
    url: webhook.url,
    events: webhook.events,
    job_ids: webhook.job_ids,
    agent_ids: webhook.agent_ids,
    description: webhook.description,
    status: webhook.status,
    disabled_reason: webhook.disabled_reason,
    previous_secret_expires_at: expiresAt === null ? null : toWireTime(expiresAt),
    created_by: webhook.created_by,
    created_at: toWireTime(webhook.created_at),
    updated_at: toWireTime(webhook.updated_at),
  };
}

/** For the responses to the creation of a webhook and the replacement of its secret; no other contains the secret. */
export function toWebhookWithSecretResponse(webhook: Webhook): WebhookWithSecretResponse {
  return { ...toWebhookResponse(webhook), secret: webhook.secret };
}

export function toWebhookFilter({ status }: ListWebhooksQuery): WebhookFilter {
  return withoutUndefined({ status });
}
