import { Database } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Patch, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import {
  CLAIM_DELIVERIES,
  FAIL_PENDING,
  FIND_DUE_WEBHOOKS,
  FIND_OVERFULL_WEBHOOKS,
  INSERT_DELIVERIES,
  PRUNE_DELIVERIES,
  REPLAY_DELIVERIES,
} from './webhook-delivery.sql.js';
import {
  SUMMARY_COLUMNS,
  type ClaimedDelivery,
  type WebhookDelivery,
  type DeliveryFilter,
  type DeliverySummary,
  type NewDelivery,
  type ReplayRange,
  type WebhookRef,
} from './webhook-delivery.types.js';

@Injectable()
export class WebhookDeliveryRepository {
  constructor(private readonly database: Database) {}

  /** Inserts deliveries whose first attempt is due at `dueAt`. Skips events that their webhook already has. */
  async insertMissing(deliveries: readonly NewDelivery[], now: Date, dueAt: Date): Promise<void> {
    await this.database.prepared(INSERT_DELIVERIES, [JSON.stringify(deliveries), now, dueAt]);
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
    return this.database.findOne(WebhookDeliveryEntity, { id, organization_id: organizationId });
  }

  /** Updates a delivery that has ended. Returns undefined if there is none with this id. */
  async updateEnded(
    { organizationId }: Scope,
    id: string,
    changes: Patch<WebhookDelivery>,
  ): Promise<WebhookDelivery | undefined> {
    const ended = { id, organization_id: organizationId, status: Not('pending' as const) };
    return this.database.update(WebhookDeliveryEntity, ended, changes);
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

  /** Returns up to `limit` webhooks of all organizations with due deliveries, longest due first. */
  async findDueWebhooks(now: Date, limit: number): Promise<WebhookRef[]> {
    return this.database.prepared<WebhookRef & Record<string, unknown>>(FIND_DUE_WEBHOOKS, [now, limit]);
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
}
