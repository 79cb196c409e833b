import { DispatchConfig } from '@app/config';
import { PeriodicTask } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { DeliveryService } from './delivery.service.js';

/** Queues again what the message store lost. */
@Injectable()
export class DeliveryReconcileTask extends PeriodicTask {
  override readonly name = 'executions.reconcile_deliveries';
  override readonly intervalMs: number;

  constructor(
    private readonly deliveries: DeliveryService,
    config: DispatchConfig,
  ) {
    super();
    this.intervalMs = config.reconcileIntervalMs;
  }

  override async run(signal: AbortSignal): Promise<void> {
    await this.deliveries.restoreLostStore(signal);
    await this.deliveries.restoreLostDeliveries(signal);
  }
}
