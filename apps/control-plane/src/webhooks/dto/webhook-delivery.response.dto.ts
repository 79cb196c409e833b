import { ResponseInteger, ResponseObject, ResponseString, ResponseTime } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { DELIVERY_STATUSES, MAX_REPLAYED } from '@app/webhooks';

export class WebhookDeliveryResponse {
  @ResponseString({ description: 'Delivery id, sent as `webhook-id`' })
  readonly id!: string;

  @ResponseString({ description: 'Webhook id' })
  readonly webhook_id!: string;

  @ResponseString({ nullable: true, description: 'Event id; null for a test' })
  readonly event_id!: string | null;

  @ResponseString({ description: 'Event type; `ping` for a test' })
  readonly event_type!: string;

  @ResponseString({ nullable: true, description: 'Execution id; null for a test' })
  readonly execution_id!: string | null;

  @ResponseString({ enum: DELIVERY_STATUSES, description: 'State; `pending` until the last attempt has ended' })
  readonly status!: string;

  @ResponseInteger({ description: 'Number of attempts since the creation or the last replay' })
  readonly attempts!: number;

  @ResponseTime({ nullable: true, description: 'Time of the next attempt; null if there is none' })
  readonly next_attempt_at!: string | null;

  @ResponseInteger({ nullable: true, description: 'HTTP status of the last response; null without a response' })
  readonly response_status!: number | null;

  @ResponseInteger({ nullable: true, description: 'Duration of the last attempt in milliseconds; null before its end' })
  readonly response_ms!: number | null;

  @ResponseString({ nullable: true, description: 'Why the last attempt failed; null if it did not' })
  readonly error!: string | null;

  @ResponseTime()
  readonly created_at!: string;
}

export class WebhookDeliveryDetailResponse extends WebhookDeliveryResponse {
  @ResponseObject({ nullable: true, description: 'Headers of the last request; null before the first attempt' })
  readonly request_headers!: JsonObject | null;

  @ResponseString({ nullable: true, description: 'Body of the request; null if it is no longer stored' })
  readonly request_body!: string | null;

  @ResponseObject({
    nullable: true,
    description: 'Headers of the last response, at most 2 KiB; null without a response',
  })
  readonly response_headers!: JsonObject | null;

  @ResponseString({ nullable: true, description: 'First 4 KiB of the last response body; null without a response' })
  readonly response_body!: string | null;
}

export class ReplayedWebhookDeliveriesResponse {
  @ResponseInteger({
    description: `Number of deliveries that are repeated, oldest first; at most ${MAX_REPLAYED} per request`,
  })
  readonly replayed!: number;
}
