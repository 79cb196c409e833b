import { RedisConnections } from '@app/connections';
import { newId } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Delivery } from './delivery.js';

const NOTIFY_ONE_CHANNEL = 'dispatch:wake';
const NOTIFY_ALL_CHANNEL = 'dispatch:wake-all';

/** One poll that waits for deliveries of one queue. */
export interface Waiter {
  /** Must be called before each read of the queue. Consumes earlier notifications; later ones require another read. */
  readStarted(): void;
  /** Must be called after a complete read. Without it, the notifications consumed by the read count as unused. */
  readCompleted(): void;
  /** Resolves when the queue must be read again, or deliveries were offered. */
  notified(): Promise<void>;
  /** Removes and returns the deliveries that were offered since the last call. */
  takeOffered(): Delivery[];
  /**
   * Ends the wait, and returns the deliveries that were offered and not taken. An unused notification is passed to
   * another waiter of the queue.
   */
  close(): Delivery[];
}

interface WaiterState {
  /** Maximum number of deliveries that it takes. */
  readonly max: number;
  readonly offered: Delivery[];
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

  /**
   * Offers a delivery to a waiter of this process whose last read found the queue empty, and returns whether there is one.
   * Waiters without an offer come first, so that workers share a burst.
   */
  offer(queueId: string, delivery: Delivery): boolean {
    let chosen: WaiterState | undefined;
    for (const state of this.waitersByQueue.get(queueId) ?? []) {
      if (!isAccepting(state)) continue;
      chosen ??= state;
      if (state.offered.length > 0) continue;
      chosen = state;
      break;
    }
    chosen?.offered.push(delivery);
    if (chosen !== undefined) resume(chosen);
    return chosen !== undefined;
  }

  /** Registers a waiter for up to `max` deliveries. Notifications between this call and `notified` are not missed. */
  wait(queueId: string, max: number): Waiter {
    this.subscribe();
    const state: WaiterState = { max, offered: [], isNotified: false, isConsuming: false, resolve: undefined };
    const waiters = this.waitersByQueue.get(queueId) ?? new Set();
    this.waitersByQueue.set(queueId, waiters.add(state));
    return {
      readStarted: () => {
        state.isConsuming ||= state.isNotified;
        state.isNotified = false;
      },
      readCompleted: () => (state.isConsuming = false),
      notified: () => nextNotification(state),
      takeOffered: () => state.offered.splice(0),
      close: () => this.close(queueId, waiters, state),
    };
  }

  /** Wakes all waiters of this process. */
  wakeAll(): void {
    for (const waiters of this.waitersByQueue.values()) for (const state of waiters) wake(state);
  }

  private close(queueId: string, waiters: Set<WaiterState>, state: WaiterState): Delivery[] {
    waiters.delete(state);
    if (waiters.size === 0) this.waitersByQueue.delete(queueId);
    else if (state.isNotified || state.isConsuming) this.wakeOne(queueId);
    return state.offered;
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

function isAccepting({ max, offered, isNotified, resolve }: WaiterState): boolean {
  const isWaiting = resolve !== undefined || offered.length > 0;
  return isWaiting && !isNotified && offered.length < max;
}

function nextNotification(state: WaiterState): Promise<void> {
  return state.isNotified || state.offered.length > 0
    ? Promise.resolve()
    : new Promise((resolve) => (state.resolve = resolve));
}

function wake(state: WaiterState): void {
  state.isNotified = true;
  resume(state);
}

function resume(state: WaiterState): void {
  state.resolve?.();
  state.resolve = undefined;
}
