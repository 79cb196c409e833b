import { Database } from '@app/database';
import { WorkerQueueService, type UpdateWorkerQueue, type WorkerQueue } from '@app/environments';
import { DeliveryService, WorkStops } from '@app/executions';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';

/**
 * The changes of worker queues that affect executions. In this lib because the queue and the executions in it belong to
 * different domains.
 */
@Injectable()
export class ManagedQueueService {
  constructor(
    private readonly queues: WorkerQueueService,
    private readonly deliveries: DeliveryService,
    private readonly stops: WorkStops,
    private readonly database: Database,
  ) {}

  /**
   * Updates a queue. Once a queue is paused or inactive, no poll returns leases of its executions, also no poll that
   * began before.
   */
  async update(scope: Scope, id: string, changes: UpdateWorkerQueue): Promise<WorkerQueue> {
    const { status } = changes;
    if (status === undefined) return this.queues.update(scope, id, changes);
    await this.database.transaction(async () => {
      await this.queues.update(scope, id, changes);
      await (status === 'active' ? this.stops.allow(scope, id) : this.stops.stop(scope, id));
    });
    return this.queues.read(scope, id);
  }

  /** Throws a conflict if the queue has live workers or executions that have not ended, or if something names it. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.queues.delete(scope, id, () => this.deliveries.openIn(scope, id));
  }
}
