import { DispatchConfig, provideConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { DeliveryReconcileTask } from './deliveries/delivery-reconcile.task.js';
import { ExecutionsModule } from './executions.module.js';
import { LeaseReapTask } from './leases/lease-reap.task.js';

/** What a dispatcher does for executions. */
@Module({
  imports: [ExecutionsModule],
  providers: [provideConfig(DispatchConfig), LeaseReapTask, DeliveryReconcileTask],
})
export class ExecutionsHandlersModule {}
