import { Clock, FairQueue, newId } from '@app/kernel';
import { createLogger, runInContext, traceContextFrom } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DeliveryAttempts } from './delivery-attempts.js';
import { Turns } from './turns.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';

/** Number of webhooks that a process serves concurrently. High, because serving is mostly waiting for responses. */
const PLACES = 128;
/** Maximum number of these webhooks that belong to one organization; fewer if many organizations are served. */
const PER_ORGANIZATION = 8;

/**
 * The places of this process, each of which serves one webhook. Webhooks of an organization that has no free place wait
 * in memory, each at most once, and are served when a place becomes free: first in, first out within an organization, and
 * organizations take turns. If the process dies, `DeliverySweepTask` wakes another one.
 */
@Injectable()
export class DeliveryPlaces implements BeforeApplicationShutdown {
  private readonly logger = createLogger('webhooks');
  /** The webhooks without a place. */
  private readonly waiting = new FairQueue<string>();
  /** Of each webhook with due deliveries. `again`: it is served, and deliveries became due after its last claim. */
  private readonly states = new Map<string, 'waiting' | 'served' | 'again'>();
  private readonly turns = new Turns(PLACES, PER_ORGANIZATION);
  private readonly running = new Set<Promise<void>>();
  private stopping = false;

  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly attempts: DeliveryAttempts,
    private readonly clock: Clock,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.running);
  }

  /** Serves the webhooks of an organization with due deliveries. Resolves before they are served. */
  async wake(organizationId: string): Promise<void> {
    const due = await this.deliveries.findDueWebhooks({ organizationId }, this.clock.now());
    for (const webhookId of due) {
      const state = this.states.get(webhookId);
      if (state === undefined) this.add(organizationId, webhookId);
      else if (state === 'served') this.states.set(webhookId, 'again');
    }
    this.startWaiting();
  }

  private add(organizationId: string, webhookId: string): void {
    this.states.set(webhookId, 'waiting');
    this.waiting.push(organizationId, webhookId);
  }

  private startWaiting(): void {
    if (this.stopping) return;
    const next = this.waiting.take((owner, [webhookId]) => (this.turns.acquire(owner) ? webhookId : undefined));
    for (const [organizationId, webhookId] of next) this.start(organizationId, webhookId);
  }

  private start(organizationId: string, webhookId: string): void {
    this.states.set(webhookId, 'served');
    // PostgreSQL connections are shared by organization.
    const context = { requestId: newId(), ...traceContextFrom(undefined), organizationId };
    const serving = runInContext(context, async () => {
      const hasMore = await this.serve(organizationId, webhookId);
      this.running.delete(serving);
      this.end(organizationId, webhookId, hasMore);
    });
    this.running.add(serving);
  }

  /** Returns whether more deliveries may be due. Never rejects: the sweep wakes the organization again. */
  private async serve(organizationId: string, webhookId: string): Promise<boolean> {
    try {
      return await this.attempts.run({ organizationId, webhookId });
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message, webhook_id: webhookId }, 'webhook not served, retrying');
      return false;
    }
  }

  private end(organizationId: string, webhookId: string, hasMore: boolean): void {
    if (hasMore || this.states.get(webhookId) === 'again') this.add(organizationId, webhookId);
    else this.states.delete(webhookId);
    this.turns.release(organizationId);
    this.startWaiting();
  }
}
