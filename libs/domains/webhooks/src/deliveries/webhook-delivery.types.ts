import type { JsonObject } from '@app/kernel';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What a delivery counts as towards the storage limit, regardless of its response: the default of its column `bytes`. */
export const DELIVERY_BYTES = 2048;

/** One event for one webhook, as the delivery log lists it. */
export interface DeliverySummary {
  readonly id: string;
  readonly organization_id: string;
  readonly webhook_id: string;
  /** `{execution_id}_{counter}_{unix_micros}`; null for a test. */
  readonly event_id: string | null;
  readonly event_type: string;
  readonly execution_id: string | null;
  readonly status: DeliveryStatus;
  /** Attempts since the creation or the last replay. */
  readonly attempts: number;
  /**
   * Time of the next attempt; during an attempt, the time after which another process may repeat it. Null if the
   * delivery has ended.
   */
  readonly next_attempt_at: Date | null;
  /** Status of the last attempt, like the other fields of the response; null without a response. */
  readonly response_status: number | null;
  readonly response_ms: number | null;
  readonly error: string | null;
  readonly created_at: Date;
}

/** A delivery with its request and the last response. */
export interface WebhookDelivery extends DeliverySummary {
  /** The exact request body; null if it is no longer stored. */
  readonly body: string | null;
  /** Headers of the last attempt; null before the first attempt. */
  readonly request_headers: JsonObject | null;
  /** Headers of the last response, at most 2 KiB; null without a response. */
  readonly response_headers: JsonObject | null;
  /** The first 4 KiB. */
  readonly response_body: string | null;
}

export const SUMMARY_COLUMNS = [
  ...(['id', 'organization_id', 'webhook_id', 'event_id', 'event_type', 'execution_id', 'status'] as const),
  ...(['attempts', 'next_attempt_at', 'response_status', 'response_ms', 'error', 'created_at'] as const),
] as const satisfies (keyof DeliverySummary)[];

/** An event of an execution with the body that all of its deliveries send. */
export interface NewEvent {
  readonly event_id: string;
  readonly event_type: string;
  readonly body: string;
}

/** A delivery of a `NewEvent`. */
export type NewDelivery = Pick<WebhookDelivery, 'id' | 'webhook_id'> & Pick<NewEvent, 'event_id'>;

/** Events of one execution with their deliveries to all webhooks that follow them. */
export interface NewDeliveries {
  readonly organizationId: string;
  readonly executionId: string;
  readonly events: readonly NewEvent[];
  readonly deliveries: readonly NewDelivery[];
}

/** A delivery that this process attempts. Its result is discarded if the stored `attempts` has increased meanwhile. */
export type ClaimedDelivery = Pick<
  WebhookDelivery,
  'id' | 'organization_id' | 'webhook_id' | 'event_id' | 'event_type' | 'execution_id' | 'attempts' | 'body'
>;

/** The result of one attempt. */
export type AttemptResult = Pick<
  WebhookDelivery,
  'request_headers' | 'response_status' | 'response_ms' | 'response_headers' | 'response_body' | 'error'
>;

export interface WebhookRef {
  readonly organizationId: string;
  readonly webhookId: string;
}

export interface DeliveryFilter {
  readonly status?: DeliveryStatus;
}

/** The deliveries of a webhook to deliver again. */
export interface ReplayRange {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly status: 'delivered' | 'failed';
}
