import { setTimeout as pause } from 'node:timers/promises';
import { RedisRestartDetector, TaskQueues, type Delivery, type UnseenRun } from '@app/dispatch';
import { Clock, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository, type DeliveryCursor, type QueueDepth } from './delivery.repository.js';

/**
 * Milliseconds after which the delivery of a ready execution that is not in its queue counts as lost. A relay takes
 * only a few milliseconds.
 */
const OVERDUE_MS = 5000;
const PAGE_SIZE = 500;
/** Number of executions per queue that are compared with their deliveries. */
const CHECKED_PER_QUEUE = 100;
const QUEUES_PER_CHECK = 50;
/** Milliseconds within which a process that took a delivery leases its execution, unless the process died. */
const CLAIM_MS = 250;

/** Restores the task queues from the waiting executions in PostgreSQL, and counts executions by queue. */
@Injectable()
export class DeliveryService {
  private readonly logger = createLogger('reconcile');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly queues: TaskQueues,
    private readonly store: RedisRestartDetector,
    private readonly clock: Clock,
  ) {}

  /** Returns the number of executions that wait for a worker, by queue; at most 1000 for each. */
  async waitingIn(queueIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return byQueue(queueIds, await this.deliveries.waitingIn(queueIds));
  }

  /** Returns the number of executions of a queue that have not ended; at most 1000. */
  async openIn(scope: Scope, queueId: string): Promise<number> {
    return this.deliveries.openIn(scope, queueId);
  }

  /** Queues all waiting executions again if the message store restarted or was replaced, also in paused queues. */
  async restoreLostStore(signal: AbortSignal): Promise<void> {
    const run = await this.store.unseenRun();
    if (run === undefined) return;
    const queueIds = await this.deliveries.queuesWaitedIn();
    for (const queueId of queueIds) {
      if (signal.aborted || !(await this.refill(queueId, signal))) return;
    }
    await this.store.markSeen(run);
    this.logRestore(run, queueIds.length);
  }

  /** Warns only if the store lost data. A restart without loss is expected. */
  private logRestore({ id: run, past }: UnseenRun, queues: number): void {
    if (past === 'kept') {
      this.logger.info({ queues, run }, 'message store restarted, waiting executions queued again');
    } else if (past === 'lost' || queues > 0) {
      this.logger.warn({ queues, run }, 'message store is new or lost its data, waiting executions queued again');
    }
  }

  /** Removes those of the deliveries from the queue whose executions no longer wait for them. */
  async removeUnneeded(queueId: string, deliveries: readonly Delivery[]): Promise<void> {
    const waiting = await this.deliveries.stillWaiting(queueId, deliveries);
    const needed = new Set(waiting.map(keyOf));
    const unneeded = deliveries.filter((delivery) => !needed.has(keyOf(delivery)));
    await Promise.all(unneeded.map((delivery) => this.queues.remove(queueId, delivery)));
  }

  /**
   * Finds deliveries of the oldest waiting executions that are not in their queue, and queues them again before all
   * others. Each execution is compared with its own delivery rather than by number, because a queue may also contain
   * deliveries of executions that no longer wait. The execution of a lost delivery eventually becomes one of the
   * oldest, because the others are leased.
   */
  async restoreLostDeliveries(signal: AbortSignal): Promise<void> {
    const queueIds = await this.deliveries.queuesWaitedIn();
    for (let start = 0; start < queueIds.length && !signal.aborted; start += QUEUES_PER_CHECK) {
      const suspects = await this.missingIn(queueIds.slice(start, start + QUEUES_PER_CHECK));
      if (suspects.size === 0) continue;
      // Waits, because a delivery that a process has just taken is no longer in the queue, while its execution is not
      // leased yet.
      await pause(CLAIM_MS, undefined, { signal }).catch(() => undefined);
      for (const [queueId, deliveries] of suspects) {
        if (signal.aborted) return;
        await this.restore(queueId, deliveries, signal);
      }
    }
  }

  /** Returns the oldest overdue deliveries that are not in their queue, by queue. */
  private async missingIn(queueIds: readonly string[]): Promise<ReadonlyMap<string, readonly Delivery[]>> {
    const overdue = new Date(this.clock.millis() - OVERDUE_MS);
    const byQueue = new Map<string, Delivery[]>();
    for (const { queueId, ...delivery } of await this.deliveries.overdueIn(queueIds, overdue, CHECKED_PER_QUEUE)) {
      byQueue.set(queueId, [...(byQueue.get(queueId) ?? []), delivery]);
    }
    const checked = await Promise.all(
      [...byQueue].map(async ([queueId, deliveries]) => {
        await this.queues.clearAbandoned(queueId);
        return [queueId, await this.queues.missing(queueId, deliveries)] as const;
      }),
    );
    return new Map(checked.filter(([, missing]) => missing.length > 0));
  }

  private async restore(queueId: string, suspects: readonly Delivery[], signal: AbortSignal): Promise<void> {
    const lost = await this.deliveries.stillWaiting(queueId, suspects);
    if (lost.length === 0) return;
    this.logger.warn({ queue_id: queueId, lost: lost.length }, 'queue lost deliveries, their executions queued again');
    await this.queues.enqueueFirst(queueId, lost);
    await this.removeUnneeded(queueId, lost);
    // If all of the oldest deliveries are lost, later ones are probably lost as well.
    if (lost.length === CHECKED_PER_QUEUE) await this.refill(queueId, signal);
  }

  /**
   * Enqueues all waiting executions, oldest first. Idempotent: a delivery in the queue is not added again. Returns
   * false if the signal ended it before that.
   */
  private async refill(queueId: string, signal: AbortSignal): Promise<boolean> {
    let after: DeliveryCursor | undefined;
    for (;;) {
      const page = await this.deliveries.waitingAfter(queueId, after, this.clock.now(), PAGE_SIZE);
      const deliveries = page.map(({ organizationId, executionId, attempt }) => ({
        organizationId,
        executionId,
        attempt,
      }));
      await this.queues.enqueue(queueId, ...deliveries);
      await this.removeUnneeded(queueId, deliveries);
      after = page.at(-1);
      if (page.length < PAGE_SIZE) return true;
      if (signal.aborted) return false;
    }
  }
}

function keyOf({ organizationId, executionId, attempt }: Delivery): string {
  return `${organizationId}:${executionId}:${attempt}`;
}

function byQueue(queueIds: readonly string[], found: readonly QueueDepth[]): ReadonlyMap<string, number> {
  const counts = new Map(queueIds.map((queueId) => [queueId, 0]));
  for (const { queueId, waiting } of found) counts.set(queueId, waiting);
  return counts;
}
