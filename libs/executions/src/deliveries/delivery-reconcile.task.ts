import { DispatchConfig } from '@app/config';
import { PeriodicTasks } from '@app/dispatch';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DeliveryService } from './delivery.service.js';

/** Queues executions again whose queue messages Redis lost. */
@Injectable()
export class DeliveryReconcileTask implements OnApplicationBootstrap {
  constructor(
    private readonly deliveries: DeliveryService,
    private readonly tasks: PeriodicTasks,
    private readonly config: DispatchConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('executions.reconcile_deliveries', this.config.reconcileIntervalMs, (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.deliveries.restoreLostStore(signal);
    await this.deliveries.restoreLostDeliveries(signal);
  }
}
