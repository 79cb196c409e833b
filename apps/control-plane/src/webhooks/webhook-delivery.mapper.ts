import { toWireTime, withoutUndefined } from '@app/kernel';
import type { WebhookDelivery, DeliveryFilter, DeliverySummary, ReplayRange } from '@app/webhooks';
import type { ListWebhookDeliveriesQuery, ReplayWebhookDeliveriesRequest } from './dto/webhook-delivery.request.dto.js';
import type { WebhookDeliveryDetailResponse, WebhookDeliveryResponse } from './dto/webhook-delivery.response.dto.js';

export function toWebhookDeliveryResponse(delivery: DeliverySummary): WebhookDeliveryResponse {
  const { next_attempt_at: nextAttemptAt } = delivery;
  return {
    id: delivery.id,
    webhook_id: delivery.webhook_id,
    event_id: delivery.event_id,
    event_type: delivery.event_type,
    execution_id: delivery.execution_id,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: nextAttemptAt === null ? null : toWireTime(nextAttemptAt),
    response_status: delivery.response_status,
    response_ms: delivery.response_ms,
    error: delivery.error,
    created_at: toWireTime(delivery.created_at),
  };
}

export function toWebhookDeliveryDetailResponse(delivery: WebhookDelivery): WebhookDeliveryDetailResponse {
  return {
    ...toWebhookDeliveryResponse(delivery),
    request_headers: delivery.request_headers,
    request_body: delivery.body,
    response_headers: delivery.response_headers,
    response_body: delivery.response_body,
  };
}

export function toWebhookDeliveryFilter({ status }: ListWebhookDeliveriesQuery): DeliveryFilter {
  return withoutUndefined({ status });
}

export function toReplayRange({ from, to, status }: ReplayWebhookDeliveriesRequest, now: Date): ReplayRange {
  return { from, to: to ?? now, status: status ?? 'failed' };
}
