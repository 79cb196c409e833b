import { WebhooksConfig } from '@app/config';
import { Clock, TokenBuckets, type Scope } from '@app/kernel';
import { createCounter } from '@app/metrics';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { DELIVERY_BYTES, type NewDeliveries } from './webhook-delivery.types.js';

const limited = createCounter(
  'platform_webhook_storage_limited_deliveries_total',
  'Deliveries that the storage limit of their organization deleted early or did not store',
  { result: ['deleted', 'refused'] as const },
);

/** Number of rows that one statement deletes. */
const BATCH_SIZE = 1000;
/** Number of deliveries that were not stored which the delivery logs of an organization keep. */
const KEPT_REFUSED = 10_000;
/** At most one line per minute and organization is logged. */
const LOG_LINES = { burst: 1, perSecond: 1 / 60, maxBuckets: 1000 };

/**
 * Stores deliveries within the storage limit of their organization. If the limit is reached, deliveries that have ended
 * are deleted before the end of the retention period, oldest first. If those that remain are all pending, new deliveries
 * are stored as failed and without a body: the delivery log lists the events that are not delivered.
 */
@Injectable()
export class DeliveryStorage {
  private readonly logger = createLogger('webhooks');
  private readonly logLines: TokenBuckets;

  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly config: WebhooksConfig,
    clock: Clock,
  ) {
    this.logLines = new TokenBuckets(clock, LOG_LINES);
  }

  /** Idempotent: skips deliveries of events that their webhook already has. */
  async store(stored: NewDeliveries, now: Date, dueAt: Date): Promise<void> {
    const { maxStoredBytes } = this.config;
    if (maxStoredBytes === 0 || (await this.hasRoomFor(stored, maxStoredBytes))) {
      return this.deliveries.insertMissing(stored, now, dueAt);
    }
    limited.inc({ result: 'refused' }, stored.deliveries.length);
    const reason = `Not stored: the pending deliveries of the organization use up ${maxStoredBytes} bytes`;
    await this.deliveries.insertRefused(stored, now, reason, KEPT_REFUSED);
  }

  /** Deletes deliveries that have ended if there is no room. */
  private async hasRoomFor({ organizationId, events, deliveries }: NewDeliveries, max: number): Promise<boolean> {
    const scope = { organizationId };
    const bodies = events.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    const needed = bodies + deliveries.length * DELIVERY_BYTES;
    while ((await this.deliveries.storedBytes(scope)) + needed > max) {
      this.logOnce(organizationId, max);
      if (!(await this.deleteEnded(scope))) return false;
    }
    return true;
  }

  private async deleteEnded(scope: Scope): Promise<boolean> {
    const deleted = await this.deliveries.deleteEnded(scope, BATCH_SIZE);
    limited.inc({ result: 'deleted' }, deleted);
    return deleted > 0 || (await this.deliveries.deleteUnused(scope, BATCH_SIZE)) > 0;
  }

  private logOnce(organizationId: string, max: number): void {
    if (this.logLines.take(organizationId) > 0) return;
    this.logger.warn(
      { organization_id: organizationId, max_stored_bytes: max },
      'the deliveries of an organization reached their storage limit',
    );
  }
}
