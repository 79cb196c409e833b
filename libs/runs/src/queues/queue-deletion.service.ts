import { WorkerQueueService } from '@app/environments';
import { DeliveryService } from '@app/executions';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';

/** Deletes worker queues. In this lib because the queue and the executions in it belong to different domains. */
@Injectable()
export class QueueDeletionService {
  constructor(
    private readonly queues: WorkerQueueService,
    private readonly deliveries: DeliveryService,
  ) {}

  /** Throws a conflict if the queue has live workers or executions that have not ended, or if something names it. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.queues.delete(scope, id, () => this.deliveries.openIn(scope, id));
  }
}
