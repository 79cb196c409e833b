import { PeriodicTasks } from '@app/dispatch';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DeliveryService } from './delivery.service.js';

/** Queues executions again whose queue messages Redis lost. */
@Injectable()
export class DeliveryReconcileTask implements OnApplicationBootstrap {
  constructor(
    private readonly deliveries: DeliveryService,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.everyReconcileInterval('executions.reconcile_deliveries', (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.deliveries.restoreLostStore(signal);
    await this.deliveries.restoreLostDeliveries(signal);
  }
}
