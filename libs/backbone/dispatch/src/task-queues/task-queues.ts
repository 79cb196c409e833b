import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { timeout, TimeoutStrategy } from 'cockatiel';
import { BullQueues } from './bull-queues.js';
import type { Delivery, ReceiveOptions } from './delivery.js';
import { QueueNotifications } from './queue-notifications.js';

/**
 * The queues that workers poll, one per worker queue. Deliveries are hints: a delivery may arrive twice, late or, if
 * Redis lost its data, never. The receiver must check in PostgreSQL whether the delivery is still valid.
 */
@Injectable()
export class TaskQueues implements BeforeApplicationShutdown {
  private readonly logger = createLogger('task-queues');
  private stopping = false;

  constructor(
    private readonly queues: BullQueues,
    private readonly notifications: QueueNotifications,
    private readonly clock: Clock,
  ) {}

  /** Adds deliveries that are not in the queue and wakes waiting polls. */
  async enqueue(queueId: string, ...deliveries: readonly Delivery[]): Promise<void> {
    await this.queues.add(queueId, deliveries);
    if (deliveries.length === 1) await this.notifications.notifyOne(queueId);
    else if (deliveries.length > 1) await this.notifications.notifyAll(queueId);
  }

  /** Adds deliveries that are not in the queue before all others, in their order, and wakes waiting polls. */
  async enqueueFirst(queueId: string, deliveries: readonly Delivery[]): Promise<void> {
    await this.queues.addFirst(queueId, deliveries);
    await this.notifications.notifyAll(queueId);
  }

  /** Returns those of the deliveries that are not in the queue. */
  async missing(queueId: string, deliveries: readonly Delivery[]): Promise<Delivery[]> {
    return this.queues.missing(queueId, deliveries);
  }

  /** Removes a delivery that no worker needs any more, if it is in the queue. Idempotent. */
  async remove(queueId: string, delivery: Delivery): Promise<void> {
    await this.queues.remove(queueId, delivery);
  }

  /** Returns the number of deliveries in the queue. */
  async count(queueId: string): Promise<number> {
    return this.queues.count(queueId);
  }

  /** Removes deliveries that a process took and did not complete before it died, so that they can be added again. */
  async clearAbandoned(queueId: string): Promise<void> {
    await this.queues.clearAbandoned(queueId);
  }

  /** Wakes all polls that wait on the queue, in every process. */
  async wake(queueId: string): Promise<void> {
    await this.notifications.notifyAll(queueId);
  }

  /** Returns up to `max` deliveries as soon as there is one, or none after `waitMs` or when the signal aborts. */
  async receive(queueId: string, options: ReceiveOptions): Promise<Delivery[]> {
    const { signal } = options;
    const deadline = this.clock.millis() + options.waitMs;
    const waiter = this.notifications.wait(queueId);
    try {
      for (;;) {
        if (this.stopping || signal?.aborted === true) return [];
        waiter.readStarted();
        const { taken, isComplete } = await this.read(queueId, options);
        if (isComplete) waiter.readCompleted();
        const leftMs = deadline - this.clock.millis();
        if (taken.length > 0 || leftMs <= 0) return taken;
        if (!(await resolvesWithin(leftMs, signal, waiter.notified()))) return [];
      }
    } finally {
      waiter.close();
    }
  }

  /**
   * Ends all waits of this process without deliveries. The readiness check must already fail, so that the clients' next
   * polls are sent to other processes.
   */
  beforeApplicationShutdown(): void {
    this.stopping = true;
    this.notifications.wakeAll();
  }

  /** Deliveries that were taken are no longer in the queue, so they are returned even if a later command fails. */
  private async read(queueId: string, { max, mayTake }: ReceiveOptions): Promise<ReadResult> {
    if (mayTake !== undefined && !(await mayTake())) return { taken: [], isComplete: true };
    const taken: Delivery[] = [];
    try {
      for await (const delivery of this.queues.take(queueId, max)) taken.push(delivery);
    } catch (error) {
      if (taken.length === 0) throw error;
      this.logger.warn(
        { err: error, queue_id: queueId, taken: taken.length },
        'queue read failed after some deliveries',
      );
      return { taken, isComplete: false };
    }
    return { taken, isComplete: true };
  }
}

interface ReadResult {
  readonly taken: Delivery[];
  /** False if the read failed, so that the queue may contain more deliveries. */
  readonly isComplete: boolean;
}

/** Returns true if `event` resolves before the time is over and before the signal aborts. */
function resolvesWithin(ms: number, signal: AbortSignal | undefined, event: Promise<void>): Promise<boolean> {
  const resolved = timeout(ms, TimeoutStrategy.Aggressive).execute(() => event, signal);
  return resolved.then(
    () => true,
    () => false,
  );
}
