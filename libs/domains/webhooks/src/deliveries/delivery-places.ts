import { Clock, newId } from '@app/kernel';
import { createLogger, runInContext, traceContextFrom } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DeliveryAttempts } from './delivery-attempts.js';
import { Turns } from './turns.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';

/** Number of webhooks that a process serves concurrently. High, because serving is mostly waiting for responses. */
const PLACES = 128;
/** Maximum number of these webhooks that belong to one organization; fewer if many organizations are served. */
const PER_ORGANIZATION = 8;

/** The webhooks of an organization with due deliveries. */
interface Line {
  /** In the order in which they are served. */
  readonly waiting: Set<string>;
  /** `again`: deliveries became due after the webhook's last claim. */
  readonly served: Map<string, { again: boolean }>;
}

/**
 * The places of this process, each of which serves one webhook. Webhooks of an organization that has no free place wait
 * in memory, each at most once, and are served when a place becomes free: first in, first out within an organization, and
 * organizations take turns. If the process dies, `DeliverySweepTask` wakes another one.
 */
@Injectable()
export class DeliveryPlaces implements BeforeApplicationShutdown {
  private readonly logger = createLogger('webhooks');
  /** By organization, in the order of their turns. */
  private readonly lines = new Map<string, Line>();
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
    const line = this.lines.get(organizationId) ?? { waiting: new Set(), served: new Map() };
    for (const webhookId of due) {
      const served = line.served.get(webhookId);
      if (served === undefined) line.waiting.add(webhookId);
      else served.again = true;
    }
    if (line.waiting.size + line.served.size > 0) this.lines.set(organizationId, line);
    this.startWaiting();
  }

  /** Starts one webhook of each organization in turn, until none has both a waiting webhook and a place. */
  private startWaiting(): void {
    let started = !this.stopping;
    while (started) {
      started = false;
      for (const [organizationId, line] of [...this.lines]) {
        const [webhookId] = line.waiting;
        if (webhookId === undefined || !this.turns.acquire(organizationId)) continue;
        this.start(organizationId, line, webhookId);
        started = true;
      }
    }
  }

  private start(organizationId: string, line: Line, webhookId: string): void {
    line.waiting.delete(webhookId);
    line.served.set(webhookId, { again: false });
    // To the end of the turns.
    this.lines.delete(organizationId);
    this.lines.set(organizationId, line);
    // PostgreSQL connections are shared by organization.
    const context = { requestId: newId(), ...traceContextFrom(undefined), organizationId };
    const serving = runInContext(context, async () => {
      const hasMore = await this.serve(organizationId, webhookId);
      this.running.delete(serving);
      this.end(organizationId, line, webhookId, hasMore);
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

  private end(organizationId: string, line: Line, webhookId: string, hasMore: boolean): void {
    const again = hasMore || line.served.get(webhookId)?.again === true;
    line.served.delete(webhookId);
    if (again) line.waiting.add(webhookId);
    if (line.waiting.size + line.served.size === 0) this.lines.delete(organizationId);
    this.turns.release(organizationId);
    this.startWaiting();
  }
}
