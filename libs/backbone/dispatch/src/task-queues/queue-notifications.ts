import { RedisConnections } from '@app/redis';
import { newId } from '@app/kernel';
import { Injectable } from '@nestjs/common';

const NOTIFY_ONE_CHANNEL = 'dispatch:wake';
const NOTIFY_ALL_CHANNEL = 'dispatch:wake-all';

/** One poll that waits for deliveries of one queue. */
export interface Waiter {
  /** Must be called before each read of the queue. Consumes earlier notifications; later ones require another read. */
  readStarted(): void;
  /** Must be called after a complete read. Without it, the notifications consumed by the read count as unused. */
  readCompleted(): void;
  /** Resolves when the queue must be read again. */
  notified(): Promise<void>;
  /** Ends the wait. An unused notification is passed to another waiter of the queue. */
  close(): void;
}

interface WaiterState {
  isNotified: boolean;
  /** Whether the read in progress consumed a notification. Reset when the read completes. */
  isConsuming: boolean;
  resolve: (() => void) | undefined;
}

/**
 * Notifies waiting polls in all processes that a queue has deliveries, over one subscriber connection per process,
 * however many polls wait. The message for a single delivery wakes one waiter per process, the message for several
 * deliveries wakes all. A lost message only delays the delivery until a poll ends and the next one reads the queue.
 */
@Injectable()
export class QueueNotifications {
  private readonly waitersByQueue = new Map<string, Set<WaiterState>>();
  private readonly process = newId();

  constructor(private readonly connections: RedisConnections) {}

  /** Wakes one waiter of the queue in each process: for a single delivery. */
  async notifyOne(queueId: string): Promise<void> {
    this.wakeOne(queueId);
    await this.publish(NOTIFY_ONE_CHANNEL, queueId);
  }

  /** Wakes all waiters of the queue: for several deliveries or an unknown number. */
  async notifyAll(queueId: string): Promise<void> {
    this.wakeAllOf(queueId);
    await this.publish(NOTIFY_ALL_CHANNEL, queueId);
  }

  /** Registers a waiter. Notifications between this call and `notified` are not missed. */
  wait(queueId: string): Waiter {
    this.subscribe();
    const state: WaiterState = { isNotified: false, isConsuming: false, resolve: undefined };
    const waiters = this.waitersByQueue.get(queueId) ?? new Set();
    this.waitersByQueue.set(queueId, waiters.add(state));
    return {
      readStarted: () => {
        state.isConsuming ||= state.isNotified;
        state.isNotified = false;
      },
      readCompleted: () => (state.isConsuming = false),
      notified: () => nextNotification(state),
      close: () => this.close(queueId, waiters, state),
    };
  }

  /** Wakes all waiters of this process. */
  wakeAll(): void {
    for (const waiters of this.waitersByQueue.values()) for (const state of waiters) wake(state);
  }

  private close(queueId: string, waiters: Set<WaiterState>, state: WaiterState): void {
    waiters.delete(state);
    if (waiters.size === 0) this.waitersByQueue.delete(queueId);
    else if (state.isNotified || state.isConsuming) this.wakeOne(queueId);
  }

  private wakeAllOf(queueId: string): void {
    for (const state of this.waitersByQueue.get(queueId) ?? []) wake(state);
  }

  private wakeOne(queueId: string): void {
    for (const state of this.waitersByQueue.get(queueId) ?? []) {
      if (!state.isNotified) return wake(state);
    }
  }

  private subscribe(): void {
    this.follow(NOTIFY_ONE_CHANNEL, (queueId) => this.wakeOne(queueId));
    this.follow(NOTIFY_ALL_CHANNEL, (queueId) => this.wakeAllOf(queueId));
  }

  /**
   * A message contains the id of the process that sent it. That process ignores the message, because it has already
   * woken its own waiters without a round trip.
   */
  private async publish(channel: string, queueId: string): Promise<void> {
    await this.connections.commands.publish(channel, `${queueId} ${this.process}`);
  }

  /** Messages before the subscription or during a lost connection are missed, so all waiters are woken afterwards. */
  private follow(channel: string, onQueue: (queueId: string) => void): void {
    this.connections.subscriptions.follow(channel, {
      onMessage: (message) => {
        const [queueId = '', process] = message.toString().split(' ');
        if (process !== this.process) onQueue(queueId);
      },
      onSubscribed: () => this.wakeAll(),
    });
  }
}

function nextNotification(state: WaiterState): Promise<void> {
  return state.isNotified ? Promise.resolve() : new Promise((resolve) => (state.resolve = resolve));
}

function wake(state: WaiterState): void {
  state.isNotified = true;
  state.resolve?.();
  state.resolve = undefined;
}
