import { Database } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Patch, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { Webhook } from '../webhook.types.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookEventEntity } from './webhook-event.entity.js';
import {
  CLAIM_DELIVERIES,
  DELETE_ENDED,
  DELETE_EVENTS,
  DELETE_UNUSED_EVENTS,
  FAIL_PENDING,
  FIND_DUE_ORGANIZATIONS,
  FIND_DUE_WEBHOOKS,
  FIND_OVERFULL_WEBHOOKS,
  INSERT_DELIVERIES,
  INSERT_REFUSED,
  PRUNE_DELIVERIES,
  PRUNE_EVENTS,
  REPLAY_DELIVERIES,
  STORED_BYTES,
} from './webhook-delivery.sql.js';
import {
  DELIVERY_BYTES,
  SUMMARY_COLUMNS,
  type ClaimedDelivery,
  type WebhookDelivery,
  type DeliveryFilter,
  type DeliverySummary,
  type NewDeliveries,
  type ReplayRange,
  type WebhookRef,
} from './webhook-delivery.types.js';

type StoredDelivery = WebhookDelivery & { readonly event_body: string | null };

@Injectable()
export class WebhookDeliveryRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts events, and deliveries whose first attempt is due at `dueAt`. Skips deliveries of events that their webhook
   * already has.
   */
  async insertMissing(
    { organizationId, executionId, events, deliveries }: NewDeliveries,
    now: Date,
    dueAt: Date,
  ): Promise<void> {
    const values = [organizationId, executionId, JSON.stringify(events), JSON.stringify(deliveries), now, dueAt];
    await this.database.prepared(INSERT_DELIVERIES, values);
  }

  /**
   * Inserts failed deliveries without the body of their event. Skips those that their webhook already has. Keeps the
   * newest `kept` of the organization, besides these.
   */
  async insertRefused(
    { organizationId, executionId, events, deliveries }: NewDeliveries,
    now: Date,
    error: string,
    kept: number,
  ): Promise<void> {
    const types = JSON.stringify(events.map(({ event_id, event_type }) => ({ event_id, event_type })));
    const values = [organizationId, executionId, types, JSON.stringify(deliveries), now, error, kept];
    await this.database.prepared(INSERT_REFUSED, values);
  }

  /** Returns the bytes that the deliveries and events of an organization count as. */
  async storedBytes({ organizationId }: Scope): Promise<number> {
    const [row] = await this.database.prepared<{ bytes: number }>(STORED_BYTES, [organizationId]);
    return row?.bytes ?? 0;
  }

  /** Deletes up to `limit` ended deliveries of an organization, oldest first, and their events. Returns their number. */
  async deleteEnded({ organizationId }: Scope, limit: number): Promise<number> {
    const deleted = await this.database.sql<Pick<WebhookDelivery, 'event_id'>>(DELETE_ENDED, [organizationId, limit]);
    const events = [...new Set(deleted.flatMap(({ event_id }) => event_id ?? []))];
    if (events.length > 0) await this.database.sql(DELETE_EVENTS, [organizationId, events]);
    return deleted.length;
  }

  /** Deletes up to `limit` events of an organization without deliveries. Returns their number. */
  async deleteUnused({ organizationId }: Scope, limit: number): Promise<number> {
    return (await this.database.sql(DELETE_UNUSED_EVENTS, [organizationId, limit])).length;
  }

  /** Inserts a delivery that belongs to no event and is due now. */
  async insertTest({ organization_id, id: webhook_id }: Webhook, id: string, body: string, now: Date): Promise<void> {
    const attempt = { status: 'pending', attempts: 0, next_attempt_at: now, request_headers: null } as const;
    const response = {
      response_status: null,
      response_ms: null,
      response_headers: null,
      response_body: null,
      error: null,
    };
    const event = { event_id: null, event_type: 'ping', execution_id: null };
    const row = {
      id,
      organization_id,
      webhook_id,
      ...event,
      body,
      bytes: DELIVERY_BYTES,
      ...attempt,
      ...response,
      created_at: now,
    };
    await this.database.insert(WebhookDeliveryEntity, row);
  }

  /** Newest first. */
  async list(
    { organizationId, webhookId }: WebhookRef,
    { status }: DeliveryFilter,
    page: Page,
  ): Promise<PageResult<DeliverySummary>> {
    const where = { ...withoutUndefined({ status }), organization_id: organizationId, webhook_id: webhookId };
    const query = this.database
      .select(WebhookDeliveryEntity, 'delivery', where)
      .select(SUMMARY_COLUMNS.map((column) => `delivery.${column}`))
      .orderBy('delivery.created_at', 'DESC');
    return this.database.listPage<WebhookDeliveryEntity, DeliverySummary>(query, page);
  }

  async find({ organizationId }: Scope, id: string): Promise<WebhookDelivery | undefined> {
    const query = this.database
      .select(WebhookDeliveryEntity, 'delivery', { id, organization_id: organizationId })
      .leftJoin(
        WebhookEventEntity,
        'event',
        'event.organization_id = delivery.organization_id AND event.event_id = delivery.event_id',
      )
      .addSelect('event.body', 'event_body');
    const [row] = await this.database.rows<WebhookDeliveryEntity, StoredDelivery>(query);
    if (row === undefined) return undefined;
    const { event_body: body, ...delivery } = row;
    return { ...delivery, body: delivery.body ?? body };
  }

  /** Updates a delivery that has ended. Returns false if there is none with this id. */
  async updateEnded({ organizationId }: Scope, id: string, changes: Patch<WebhookDelivery>): Promise<boolean> {
    const ended = { id, organization_id: organizationId, status: Not('pending' as const) };
    return (await this.database.update(WebhookDeliveryEntity, ended, changes)) !== undefined;
  }

  /** Records the result of an attempt, unless another attempt has begun or the delivery has ended. */
  async record({ id, organization_id, attempts }: ClaimedDelivery, changes: Patch<WebhookDelivery>): Promise<void> {
    await this.database.update(WebhookDeliveryEntity, { id, organization_id, attempts, status: 'pending' }, changes);
  }

  /** Claims up to `limit` due deliveries of a webhook until `leaseEnd`. */
  async claim(
    { organizationId, webhookId }: WebhookRef,
    now: Date,
    leaseEnd: Date,
    limit: number,
  ): Promise<ClaimedDelivery[]> {
    const values = [organizationId, webhookId, now, limit, leaseEnd];
    return this.database.prepared<ClaimedDelivery>(CLAIM_DELIVERIES, values);
  }

  /** Returns the ids of the webhooks of an organization with due deliveries, longest due first. */
  async findDueWebhooks({ organizationId }: Scope, now: Date): Promise<string[]> {
    const rows = await this.database.prepared<Pick<Webhook, 'id'>>(FIND_DUE_WEBHOOKS, [organizationId, now]);
    return rows.map(({ id }) => id);
  }

  /** Returns the organizations with due deliveries. */
  async findDueOrganizations(now: Date): Promise<string[]> {
    const rows = await this.database.prepared<Pick<Webhook, 'organization_id'>>(FIND_DUE_ORGANIZATIONS, [now]);
    return rows.map((row) => row.organization_id);
  }

  /** Makes up to `limit` ended deliveries due again, oldest first. Returns their number. */
  async replay(webhook: WebhookRef, { from, to, status }: ReplayRange, now: Date, limit: number): Promise<number> {
    const { organizationId, webhookId } = webhook;
    const values = [organizationId, webhookId, from, to, status, now, limit];
    return (await this.database.sql(REPLAY_DELIVERIES, values)).length;
  }

  /** Ends up to `limit` pending deliveries of a webhook. Returns their number. */
  async failPending({ organizationId, webhookId }: WebhookRef, error: string, limit: number): Promise<number> {
    return (await this.database.sql(FAIL_PENDING, [organizationId, webhookId, error, limit])).length;
  }

  /** Returns the active webhooks of all organizations with more than `max` pending deliveries. */
  async findOverfullWebhooks(max: number): Promise<WebhookRef[]> {
    return this.database.sql<WebhookRef & Record<string, unknown>>(FIND_OVERFULL_WEBHOOKS, [max]);
  }

  /** Deletes up to `limit` ended deliveries of all organizations that were created before a time. Returns their number. */
  async prune(createdBefore: Date, limit: number): Promise<number> {
    return (await this.database.sql(PRUNE_DELIVERIES, [createdBefore, limit])).length;
  }

  /** Deletes up to `limit` events without deliveries that were stored before a time. Returns their number. */
  async pruneEvents(storedBefore: Date, limit: number): Promise<number> {
    return (await this.database.sql(PRUNE_EVENTS, [storedBefore, limit])).length;
  }
}
