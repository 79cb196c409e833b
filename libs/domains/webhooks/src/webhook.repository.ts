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

  /** Returns all active webhooks. Their number is limited by `MAX_WEBHOOKS`. */
  async findActive({ organizationId }: Scope): Promise<Webhook[]> {
    const where = { organization_id: organizationId, status: 'active' } as const;
    return this.database.rows(this.database.select(WebhookEntity, 'webhook', where));
  }

  /** Returns the organizations with active webhooks. */
  async findFollowingOrganizations(): Promise<string[]> {
    const query = this.database
      .select(WebhookEntity, 'webhook', { status: 'active' })
      .select('webhook.organization_id', 'organization_id')
      .distinct();
    return (await query.getRawMany<Pick<Webhook, 'organization_id'>>()).map((row) => row.organization_id);
  }

  /** Reads the table; rejects if it cannot be read. */
  async ping(): Promise<void> {
    await this.database.select(WebhookEntity, 'webhook', {}).select('webhook.id').limit(1).getRawOne();
  }

  /** Updates the webhook if it still has this URL. */
  async updateIfAt(scope: Scope, id: string, url: string, changes: WebhookChange): Promise<Webhook | undefined> {
    return this.database.update(WebhookEntity, { id, url, organization_id: scope.organizationId }, changes);
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
