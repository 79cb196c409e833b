import { Database } from '@app/database';
import { Clock, newId, newSigningSecret, type Caller, type Page, type PageResult, type Scope } from '@app/kernel';
import { UnreadLogs } from '@app/events';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { EgressGuard } from './egress-guard.js';
import { tooManyWebhooks, unusableUrl, webhookNotFound } from './webhook.errors.js';
import { WebhookRepository } from './webhook.repository.js';
import {
  MAX_WEBHOOKS,
  type CreateWebhook,
  type UpdateWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookFields,
  type WebhookFilter,
} from './webhook.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<WebhookFields, 'url'> = {
  events: [],
  job_ids: [],
  agent_ids: [],
  description: null,
  status: 'active',
};

/** Subscriptions of an organization to the events of its executions. */
@Injectable()
export class WebhookService {
  private readonly logger = createLogger('webhooks');

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly egress: EgressGuard,
    private readonly logs: UnreadLogs,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws `invalid` for a URL to which nothing may be delivered, `conflict` for too many webhooks. */
  async create(caller: Caller, request: CreateWebhook): Promise<Webhook> {
    await this.checkUrl(request.url);
    // Each concurrent request can exceed the limit by one. This is acceptable, because the limit only bounds the work
    // per event.
    if ((await this.webhooks.countUpTo(caller, MAX_WEBHOOKS)) >= MAX_WEBHOOKS) throw tooManyWebhooks();
    const now = this.clock.now();
    const noPrevious = { previous_secret: null, previous_secret_expires_at: null };
    const created = await this.webhooks.insert(caller, {
      ...DEFAULTS,
      ...request,
      ...noPrevious,
      id: newId(),
      secret: newSigningSecret(),
      disabled_reason: null,
      active_since: now,
      created_by: caller.userId,
      created_at: now,
      updated_at: now,
    });
    await this.follow(created);
    return created;
  }

  /** Newest first. */
  async list(scope: Scope, filter: WebhookFilter, page: Page): Promise<PageResult<Webhook>> {
    return this.webhooks.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Webhook> {
    return found(await this.webhooks.find(scope, id));
  }

  /** Checks a new URL like `create`. A webhook that becomes active receives events from then on. */
  async update(scope: Scope, id: string, changes: UpdateWebhook): Promise<Webhook> {
    if (changes.url !== undefined) await this.checkUrl(changes.url);
    const updated = await this.change(scope, id, (before, now) => {
      if (changes.status === undefined || changes.status === before.status) return changes;
      return { ...changes, disabled_reason: null, ...(changes.status === 'active' ? { active_since: now } : {}) };
    });
    await this.follow(updated);
    return updated;
  }

  /** Replaces the secret. For the overlap, deliveries are also signed with the old one. */
  async rotateSecret(scope: Scope, id: string, overlapSeconds: number): Promise<Webhook> {
    return this.change(scope, id, (before, now) => ({
      secret: newSigningSecret(),
      previous_secret: overlapSeconds === 0 ? null : before.secret,
      previous_secret_expires_at: overlapSeconds === 0 ? null : new Date(now.getTime() + overlapSeconds * 1000),
    }));
  }

  async delete(scope: Scope, id: string): Promise<void> {
    if (!(await this.webhooks.delete(scope, id))) throw webhookNotFound();
  }

  /**
   * Never rejects: if Redis is unreachable, `WebhookFollowTask` stores the organization later. In a transaction, waits
   * for the commit: the task, which does not see the webhook before, would remove the organization again.
   */
  private async follow({ organization_id, status }: Webhook): Promise<void> {
    if (status !== 'active') return;
    await this.database.committed(async () => {
      try {
        await this.logs.follow('http', organization_id);
      } catch (error) {
        this.logger.warn(
          { reason: (error as Error).message },
          'starting to follow events failed; a periodic task repeats it',
        );
      }
    });
  }

  private async change(
    scope: Scope,
    id: string,
    changesOf: (before: Webhook, now: Date) => WebhookChange,
  ): Promise<Webhook> {
    return this.database.transaction(async () => {
      const before = found(await this.webhooks.lock(scope, id));
      const now = this.clock.now();
      return found(await this.webhooks.update(scope, id, { ...changesOf(before, now), updated_at: now }));
    });
  }

  private async checkUrl(url: string): Promise<void> {
    const fault = await this.egress.faultOf(url);
    if (fault !== undefined) throw unusableUrl(fault);
  }
}

function found(webhook: Webhook | undefined): Webhook {
  if (webhook === undefined) throw webhookNotFound();
  return webhook;
}
