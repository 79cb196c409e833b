import { PeriodicTasks } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DeliveryBacklog } from './delivery-backlog.js';
import { DeliveryQueue } from './delivery-queue.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';

/**
 * Wakes organizations with due deliveries: retries whose delay has passed, and deliveries whose wake-up was lost because
 * a process died or Redis lost its queue. Disables webhooks with too many pending deliveries.
 */
@Injectable()
export class DeliverySweepTask implements OnApplicationBootstrap {
  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly backlog: DeliveryBacklog,
    private readonly queue: DeliveryQueue,
    private readonly clock: Clock,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.everyReconcileInterval('webhooks.sweep', () => this.run());
  }

  async run(): Promise<void> {
    await this.backlog.disableOverfull();
    const now = this.clock.now();
    const due = await this.deliveries.findDueOrganizations(now);
    await Promise.all(due.map((organizationId) => this.queue.wakeAt(organizationId, now, now)));
  }
}
