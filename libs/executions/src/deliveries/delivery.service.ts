import { StoreWatch, TaskQueues, type UnseenRun } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository, type Cursor, type QueueDepth } from './delivery.repository.js';

/** A relay takes milliseconds: what is ready for longer than this and still not in its queue was lost, in milliseconds. */
const OVERDUE_MS = 5000;
const PAGE = 500;

/** Brings the task queues back in line with what Postgres says is waiting. */
@Injectable()
export class DeliveryService {
  private readonly logger = createLogger('reconcile');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly queues: TaskQueues,
    private readonly store: StoreWatch,
    private readonly clock: Clock,
  ) {}

  /** How many executions wait for a worker in each of the queues; beyond a thousand, a thousand. */
  async waitingIn(queueIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return byQueue(queueIds, await this.deliveries.waitingIn(queueIds));
  }

  /** How many executions of each of the queues have not ended; beyond a thousand, a thousand. */
  async openIn(queueIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return byQueue(queueIds, await this.deliveries.openIn(queueIds));
  }

  /** Where the store is another than the one last seen, everything that waits is queued again, paused queues included. */
  async restoreLostStore(signal: AbortSignal): Promise<void> {
    const run = await this.store.unseenRun();
    if (run === undefined) return;
    const queues = await this.deliveries.waitingByQueue(this.clock.now());
    for (const { queueId } of queues) {
      if (signal.aborted) return;
      await this.refill(queueId, Number.POSITIVE_INFINITY);
    }
    await this.store.markSeen(run);
    this.tell(run, queues.length);
  }

  /** A store that began another life as it should is no reason to worry; one that lost what it held is. */
  private tell({ id: run, past }: UnseenRun, queues: number): void {
    if (past === 'kept') {
      this.logger.info({ queues, run }, 'the message store was started anew: everything pending was queued again');
    } else if (past === 'lost' || queues > 0) {
      this.logger.warn({ queues, run }, 'a new message store: everything pending was queued again');
    }
  }

  /** Single deliveries that were lost: a queue that holds less than waits for it gets its oldest ones again. */
  async restoreLostDeliveries(signal: AbortSignal): Promise<void> {
    const overdue = new Date(this.clock.millis() - OVERDUE_MS);
    const suspects = await this.shortQueues(await this.deliveries.waitingByQueue(overdue));
    if (suspects.length === 0) return;
    // Work taken between the two counts looks like a loss: only what is short on a second look is.
    const again = await this.deliveries.waitingByQueue(overdue);
    const ids = new Set(suspects.map(({ queueId }) => queueId));
    for (const { queueId, waiting } of await this.shortQueues(again.filter((queue) => ids.has(queue.queueId)))) {
      if (signal.aborted) return;
      this.logger.warn({ queue_id: queueId, waiting }, 'a queue lost deliveries; its oldest are queued again');
      await this.queues.clearAbandoned(queueId);
      await this.refill(queueId, PAGE);
    }
  }

  private async shortQueues(depths: readonly QueueDepth[]): Promise<QueueDepth[]> {
    const held = await Promise.all(depths.map(({ queueId }) => this.queues.count(queueId)));
    return depths.filter(({ waiting }, index) => (held[index] ?? 0) < waiting);
  }

  /** Oldest first, so that the order of the queue is that of the table. Adding what is there changes nothing. */
  private async refill(queueId: string, most: number): Promise<void> {
    let after: Cursor | undefined;
    for (let added = 0; added < most; added += PAGE) {
      const page = await this.deliveries.waitingAfter(queueId, after, PAGE);
      const deliveries = page.map(({ organizationId, executionId, attempt }) => ({
        organizationId,
        executionId,
        attempt,
      }));
      await this.queues.enqueue(queueId, ...deliveries);
      after = page.at(-1);
      if (page.length < PAGE) return;
    }
  }
}

function byQueue(queueIds: readonly string[], found: readonly QueueDepth[]): ReadonlyMap<string, number> {
  const counts = new Map(queueIds.map((queueId) => [queueId, 0]));
  for (const { queueId, waiting } of found) counts.set(queueId, waiting);
  return counts;
}
