import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { BullQueues } from './bull-queues.js';
import type { Delivery, ReceiveOptions } from './delivery.js';
import { WakeUps } from './wake-ups.js';

/**
 * The queues workers poll, one per worker queue. A delivery is a hint, never a fact: it may come twice, late or (when
 * the store was lost) not at all, and whoever receives one asks Postgres whether it still holds.
 */
@Injectable()
export class TaskQueues implements OnModuleDestroy {
  private readonly logger = createLogger('task-queues');
  private stopping = false;

  constructor(
    private readonly queues: BullQueues,
    private readonly wakeUps: WakeUps,
    private readonly clock: Clock,
  ) {}

  /** Puts deliveries into the queue, those that are there already excepted, and wakes polls that wait for them. */
  async enqueue(queueId: string, ...deliveries: readonly Delivery[]): Promise<void> {
    await this.queues.add(queueId, deliveries);
    if (deliveries.length === 1) await this.wakeUps.announce(queueId);
    else if (deliveries.length > 1) await this.wakeUps.announceAll(queueId);
  }

  /** How many deliveries the queue holds. */
  async count(queueId: string): Promise<number> {
    return this.queues.count(queueId);
  }

  /** Makes room for deliveries that a process took and then died with: they can be put in again. */
  async clearAbandoned(queueId: string): Promise<void> {
    await this.queues.clearAbandoned(queueId);
  }

  /** Lets the polls that wait on the queue look at it again, in every process. */
  async wake(queueId: string): Promise<void> {
    await this.wakeUps.announceAll(queueId);
  }

  /** Up to `max` deliveries, as soon as there is one; none when the time is over or the signal came. */
  async receive(queueId: string, options: ReceiveOptions): Promise<Delivery[]> {
    const { signal } = options;
    const deadline = this.clock.millis() + options.waitMs;
    const waiter = this.wakeUps.wait(queueId);
    try {
      for (;;) {
        if (this.stopping || signal?.aborted === true) return [];
        waiter.looking();
        const { taken, failed } = await this.look(queueId, options);
        if (!failed) waiter.looked();
        const left = deadline - this.clock.millis();
        if (taken.length > 0 || left <= 0) return taken;
        if (!(await within(left, signal, waiter.wakeUp()))) return [];
      }
    } finally {
      waiter.end();
    }
  }

  /** A process that stops ends the waits of its polls. */
  onModuleDestroy(): void {
    this.stopping = true;
    this.wakeUps.wakeEverybody();
  }

  /** What was taken is out of the queue for good: a failure after that is no reason to lose it. */
  private async look(queueId: string, { max, mayTake }: ReceiveOptions): Promise<Look> {
    if (mayTake !== undefined && !(await mayTake())) return { taken: [], failed: false };
    const taken: Delivery[] = [];
    try {
      while (taken.length < max) {
        const delivery = await this.queues.take(queueId);
        if (delivery === undefined) break;
        taken.push(delivery);
      }
    } catch (error) {
      if (taken.length === 0) throw error;
      this.logger.warn({ err: error, queue_id: queueId, taken: taken.length }, 'a queue could be read in part only');
      return { taken, failed: true };
    }
    return { taken, failed: false };
  }
}

interface Look {
  readonly taken: Delivery[];
  /** There may be more. */
  readonly failed: boolean;
}

/** Whether `event` came before the time was over and before the signal. */
function within(ms: number, signal: AbortSignal | undefined, event: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (came: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      resolve(came);
    };
    const giveUp = (): void => settle(false);
    const timer = setTimeout(giveUp, ms);
    if (signal?.aborted === true) return giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    void event.then(() => settle(true));
  });
}
