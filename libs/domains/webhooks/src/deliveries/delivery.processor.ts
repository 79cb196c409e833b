import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { DeliveryPlaces } from './delivery-places.js';
import { WEBHOOK_DELIVERIES, type WakeUp } from './delivery-queue.js';

/** Number of wake-ups that a process handles concurrently. Each costs one statement. */
const CONCURRENCY = 4;

/** Passes each wake-up to the places of this process. It ends before the webhooks are served, so none remains in Redis. */
@Processor(WEBHOOK_DELIVERIES, { concurrency: CONCURRENCY })
export class DeliveryProcessor extends WorkerHost {
  constructor(private readonly places: DeliveryPlaces) {
    super();
  }

  override async process({ data }: Job<WakeUp>): Promise<void> {
    await this.places.wake(data.organizationId);
  }
}
