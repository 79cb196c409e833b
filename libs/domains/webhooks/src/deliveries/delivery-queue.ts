import { Database } from '@app/database';
import { dispatchQueue } from '@app/dispatch';
import { createLogger } from '@app/observability';
import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { JobsOptions, Queue } from 'bullmq';

export const WEBHOOK_DELIVERIES = 'webhook-deliveries';
export const webhookDeliveriesQueue = dispatchQueue(WEBHOOK_DELIVERIES);

/** Retries that are due later are found by `DeliverySweepTask`. */
const MAX_DELAY_MS = 60_000;
/** Delayed wake-ups of an organization within this time are combined. */
const STEP_MS = 250;

/** A wake-up. Earlier versions sent one per webhook, with its id. */
export interface WakeUp {
  readonly organizationId: string;
}

/**
 * Wakes the processor of the webhooks of an organization when deliveries are due. PostgreSQL decides what is due, so a
 * lost, duplicate or early wake-up does no harm. In a transaction, the wake-up is sent after the commit, because the
 * processor would not see the deliveries before. An organization has at most one wake-up that waits, besides the one that
 * is being processed, and one per `STEP_MS` that is delayed.
 */
@Injectable()
export class DeliveryQueue {
  private readonly logger = createLogger('webhooks');

  constructor(
    @InjectQueue(WEBHOOK_DELIVERIES) private readonly queue: Queue<WakeUp>,
    private readonly database: Database,
  ) {}

  /** Never rejects, and neither does `wakeAt`: `DeliverySweepTask` wakes organizations whose wake-up was lost. */
  async wake(organizationId: string): Promise<void> {
    await this.add(organizationId, { deduplication: { id: organizationId, keepLastIfActive: true } });
  }

  /** Wakes for deliveries that are due at `dueAt`, up to `STEP_MS` later. */
  async wakeAt(organizationId: string, now: Date, dueAt: Date): Promise<void> {
    const step = Math.ceil(dueAt.getTime() / STEP_MS);
    const delay = step * STEP_MS - now.getTime();
    if (delay <= MAX_DELAY_MS) await this.add(organizationId, { jobId: `${organizationId}-${step}`, delay });
  }

  private async add(organizationId: string, options: JobsOptions): Promise<void> {
    await this.database.committed(async () => {
      try {
        await this.queue.add('deliver', { organizationId }, options);
      } catch (error) {
        this.logger.debug({ reason: (error as Error).message }, 'webhooks not woken');
      }
    });
  }
}
