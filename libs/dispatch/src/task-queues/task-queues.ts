import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { timeout, TimeoutStrategy } from 'cockatiel';
import { BullQueues } from './bull-queues.js';
import type { Delivery, ReceiveOptions } from './delivery.js';
import { QueueNotifications, type Waiter } from './queue-notifications.js';

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

  /**
   * Hands a new delivery to a poll of this process that waits because the queue is empty, without Redis; adds it to the queue
   * if there is none.
   */
  async deliver(queueId: string, delivery: Delivery): Promise<void> {
    if (this.stopping || !this.notifications.offer(queueId, delivery)) await this.enqueue(queueId, delivery);
  }

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
    const waiter = this.notifications.wait(queueId, options.max);
    try {
      for (;;) {
        if (this.stopping || signal?.aborted === true) return [];
        const offered = waiter.takeOffered();
        const taken =
          offered.length > 0 ? await this.accept(queueId, offered, options) : await this.read(queueId, waiter, options);
        const leftMs = deadline - this.clock.millis();
        if (taken.length > 0 || leftMs <= 0) return taken;
        if (!(await resolvesWithin(leftMs, signal, waiter.notified()))) return [];
      }
    } finally {
      const offered = waiter.close();
      if (offered.length > 0) await this.putBack(queueId, offered);
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

  /** Returns the deliveries that were offered, or adds them to the queue if the poll may not take any. */
  private async accept(queueId: string, offered: Delivery[], { mayTake }: ReceiveOptions): Promise<Delivery[]> {
    let isAllowed = false;
    try {
      isAllowed = mayTake === undefined || (await mayTake());
    } finally {
      if (!isAllowed) await this.putBack(queueId, offered);
    }
    return isAllowed ? offered : [];
  }

  /** Adds deliveries to the queue that a poll did not take. If that fails, reconciliation restores them. */
  private async putBack(queueId: string, deliveries: readonly Delivery[]): Promise<void> {
    await this.enqueue(queueId, ...deliveries).catch((error: unknown) => {
      this.logger.warn(
        { err: error, queue_id: queueId, deliveries: deliveries.length },
        'queueing deliveries again failed; reconciliation restores them',
      );
    });
  }

  /** Deliveries that were taken are no longer in the queue, so they are returned even if a later command fails. */
  private async read(queueId: string, waiter: Waiter, { max, mayTake }: ReceiveOptions): Promise<Delivery[]> {
    waiter.readStarted();
    const taken: Delivery[] = [];
    try {
      if (mayTake === undefined || (await mayTake())) {
        for await (const delivery of this.queues.take(queueId, max)) taken.push(delivery);
      }
      waiter.readCompleted();
    } catch (error) {
      if (taken.length === 0) throw error;
      this.logger.warn(
        { err: error, queue_id: queueId, taken: taken.length },
        'queue read failed after some deliveries',
      );
    }
    return taken;
  }
}

/** Returns true if `event` resolves before the time is over and before the signal aborts. */
function resolvesWithin(ms: number, signal: AbortSignal | undefined, event: Promise<void>): Promise<boolean> {
  const resolved = timeout(ms, TimeoutStrategy.Aggressive).execute(() => event, signal);
  return resolved.then(
    () => true,
    () => false,
  );
}
