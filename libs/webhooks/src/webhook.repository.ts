import { Database } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { WebhookEntity } from './webhook.entity.js';
import type { NewWebhook, Webhook, WebhookChange, WebhookFilter } from './webhook.types.js';

@Injectable()
export class WebhookRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, webhook: NewWebhook): Promise<Webhook> {
    return this.database.insert(WebhookEntity, { ...webhook, organization_id: organizationId });
  }

  /** Newest first. */
  async list({ organizationId }: Scope, { status }: WebhookFilter, page: Page): Promise<PageResult<Webhook>> {
    const query = this.database
      .select(WebhookEntity, 'webhook', { ...withoutUndefined({ status }), organization_id: organizationId })
      .orderBy('webhook.created_at', 'DESC');
    return this.database.listPage(query, page);
  }

  /** Returns the number of webhooks, at most `max`. */
  async countUpTo({ organizationId }: Scope, max: number): Promise<number> {
    const query = this.database.select(WebhookEntity, 'webhook', { organization_id: organizationId });
    return this.database.countUpTo(query, max);
  }

  async find({ organizationId }: Scope, id: string): Promise<Webhook | undefined> {
    return this.database.findOne(WebhookEntity, { id, organization_id: organizationId });
  }

  /** Locks the webhook until the transaction ends. */
  async lock({ organizationId }: Scope, id: string): Promise<Webhook | undefined> {
    return this.database.lockOne(WebhookEntity, { id, organization_id: organizationId });
  }

  async update({ organizationId }: Scope, id: string, changes: WebhookChange): Promise<Webhook | undefined> {
    return this.database.update(WebhookEntity, { id, organization_id: organizationId }, changes);
  }

  /** Returns false if there is no such webhook. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(WebhookEntity, { id, organization_id: organizationId });
  }
}
