import type { Patch } from '@app/kernel';

export const WEBHOOK_STATUSES = ['active', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** Limits the work that one published event causes. */
export const MAX_WEBHOOKS = 200;

/** The fields a client can set. */
export interface WebhookFields {
  /** Where events are delivered: http or https, without credentials. */
  readonly url: string;
  /** Event types; empty or with `*`: all types. */
  readonly events: string[];
  /** Jobs whose executions are followed; empty: all executions. */
  readonly job_ids: string[];
  /** Agents whose executions are followed; empty: all executions. */
  readonly agent_ids: string[];
  readonly description: string | null;
  /**
   * While the status is `disabled`, no events are delivered, and events of this time are not delivered later either.
   */
  readonly status: WebhookStatus;
}

/** A subscription to the events of executions. */
export interface Webhook extends WebhookFields {
  readonly id: string;
  readonly organization_id: string;
  /** Why the platform disabled the webhook; null if it did not. */
  readonly disabled_reason: string | null;
  /** Time since which events are delivered: its creation, or the last time it became active. */
  readonly active_since: Date;
  /** Signs deliveries; Standard Webhooks 1.0. */
  readonly secret: string;
  /** The secret before the last rotation. Deliveries are also signed with it until it expires. */
  readonly previous_secret: string | null;
  readonly previous_secret_expires_at: Date | null;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Row of a new webhook, without its organization. */
export type NewWebhook = Omit<Webhook, 'organization_id'>;
export type CreateWebhook = Pick<WebhookFields, 'url'> & Patch<Omit<WebhookFields, 'url'>>;
export type UpdateWebhook = Patch<WebhookFields>;

/** A change by a client or by the platform. */
export type WebhookChange = Patch<Webhook>;

export interface WebhookFilter {
  readonly status?: WebhookStatus;
}
