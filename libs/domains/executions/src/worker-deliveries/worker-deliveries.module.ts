import { OutboxTopicsModule, taskQueueDeleted } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { LifecycleModule } from '../lifecycle/lifecycle.module.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';
import { ExecutionQueuedHandler } from './execution-queued.handler.js';
import { OrphanedWorkService } from './orphaned-work.service.js';
import { QueueLoadService } from './queue-load.service.js';

@Module({
  imports: [OutboxTopicsModule.forFeature(taskQueueDeleted), LifecycleModule],
  providers: [DeliveryRepository, DeliveryService, QueueLoadService, OrphanedWorkService, ExecutionQueuedHandler],
  exports: [DeliveryRepository, DeliveryService, QueueLoadService, OrphanedWorkService],
})
export class WorkerDeliveriesModule {}
