import { Outbox, taskQueueDeleted } from '@app/dispatch';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from './delivery.repository.js';
import { LifecycleRepository } from '../lifecycle/lifecycle.repository.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';

const BATCH_SIZE = 500;

/** Returns those of the ids that belong to existing queues. Implemented by libs/domains/environments. */
export type FilterExistingQueues = (queueIds: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Marks executions that wait in deleted queues as failed. A queue with work cannot be deleted, but a start chooses its
 * queue without a lock before it commits, so the queue can be deleted before the commit.
 */
@Injectable()
export class OrphanedWorkService {
  private readonly logger = createLogger('reconcile');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly lifecycle: LifecycleService,
    private readonly lifecycles: LifecycleRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Ids of queues are never reused, so a queue that does not exist after its executions were read never exists again.
   */
  async failOrphaned(filterExisting: FilterExistingQueues, signal: AbortSignal): Promise<void> {
    const queueIds = await this.deliveries.queuesWaitedIn();
    if (queueIds.length === 0) return;
    const existing = await filterExisting(queueIds);
    for (const queueId of queueIds) {
      while (!signal.aborted && !existing.has(queueId) && (await this.failBatch(queueId)) === BATCH_SIZE);
    }
  }

  /** Commits the final states together with their messages. Returns the number of executions. */
  private async failBatch(queueId: string): Promise<number> {
    const command = { name: 'abandon', reason: `The worker queue ${queueId} no longer exists` } as const;
    const failed = await this.lifecycle.applyToChosen(
      () => this.lifecycles.lockWaitingIn(queueId, BATCH_SIZE),
      command,
      async ({ length }) => {
        // A delivery that was relayed after the deletion of the queue has created the keys of the queue again.
        if (length > 0) await this.outbox.add(taskQueueDeleted, { queueId });
      },
    );
    const { length } = failed;
    if (length > 0) this.logger.warn({ queue_id: queueId, executions: length }, 'executions of a deleted queue failed');
    return length;
  }
}
