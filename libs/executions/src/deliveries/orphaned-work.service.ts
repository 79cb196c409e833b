import { Database } from '@app/database';
import { Outbox, taskQueueDeleted } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from './delivery.repository.js';
import { executionFinished } from '../executions/execution.events.js';

const BATCH_SIZE = 500;

/** Returns the ids of the queues that exist. Implemented by the owner of the queues. */
export type FilterExistingQueues = (queueIds: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Fails executions that wait in deleted queues. A queue with work cannot be deleted, but a start chooses its queue before
 * it commits and acquires no lock, so the queue may be deleted in between.
 */
@Injectable()
export class OrphanedWorkService {
  private readonly logger = createLogger('reconcile');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Ids of queues are never reused: a queue that does not exist after its work was read will not exist later. */
  async failOrphaned(filterExisting: FilterExistingQueues, signal: AbortSignal): Promise<void> {
    const queueIds = await this.deliveries.queuesWaitedIn();
    if (queueIds.length === 0) return;
    const existing = await filterExisting(queueIds);
    for (const queueId of queueIds) {
      while (!signal.aborted && !existing.has(queueId) && (await this.failBatch(queueId)) === BATCH_SIZE);
    }
  }

  /** Commits the final states and their messages together. Returns the number of failed executions. */
  private async failBatch(queueId: string): Promise<number> {
    const failed = await this.database.transaction(async () => {
      const reason = `The worker queue ${queueId} does not exist any more`;
      const executions = await this.deliveries.failWaitingIn(queueId, reason, this.clock.now(), BATCH_SIZE);
      await this.outbox.add(executionFinished, ...executions.map((ref) => ({ ...ref, from: 'pending' as const })));
      // A delivery that was relayed after the deletion of the queue created its keys again.
      if (executions.length > 0) await this.outbox.add(taskQueueDeleted, { queueId });
      return executions.length;
    });
    if (failed > 0) this.logger.warn({ queue_id: queueId, executions: failed }, 'executions of a deleted queue failed');
    return failed;
  }
}
