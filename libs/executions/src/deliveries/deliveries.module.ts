import { DispatchModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';
import { ExecutionQueuedHandler } from './execution-queued.handler.js';
import { OrphanedWorkService } from './orphaned-work.service.js';
import { QueueLoadService } from './queue-load.service.js';

@Module({
  imports: [DispatchModule],
  providers: [DeliveryRepository, DeliveryService, QueueLoadService, OrphanedWorkService, ExecutionQueuedHandler],
  exports: [DeliveryRepository, DeliveryService, QueueLoadService, OrphanedWorkService],
})
export class DeliveriesModule {}
