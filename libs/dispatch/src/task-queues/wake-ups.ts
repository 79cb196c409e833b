import { RedisConnections } from '@app/connections';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';

const ONE = 'dispatch:wake';
const ALL = 'dispatch:wake-all';

/** One call that waits for work on one queue. */
export interface Waiter {
  /** Say it before each look at the queue: wake-ups up to now are used by that look, later ones call for another. */
  looking(): void;
  /** Say it when the look saw the queue. The wake-ups of a look that did not are still unused. */
  looked(): void;
  /** Resolves when another look is called for. */
  wakeUp(): Promise<void>;
  /** Say it when the wait is over. A wake-up it did not use goes to another waiter of the queue. */
  end(): void;
}

interface WaiterState {
  woken: boolean;
  /** A wake-up that the look under way uses, unless it fails. */
  using: boolean;
  resolve: (() => void) | undefined;
}

/**
 * Tells waiting polls, in every process, that a queue has work: one message per piece of work, over one subscriber
 * connection per process however many polls wait. Each message wakes one waiter per process. A message lost on the way
 * costs time only: polls end and look again.
 */
@Injectable()
export class WakeUps {
  private readonly logger = createLogger('wake-ups');
  private readonly waiting = new Map<string, Set<WaiterState>>();
  private listening = false;

  constructor(private readonly connections: RedisConnections) {}

  /** One piece of work is there. */
  async announce(queueId: string): Promise<void> {
    await this.connections.commands.publish(ONE, queueId);
  }

  /** Nobody knows how much is there: all that wait on the queue look. */
  async announceAll(queueId: string): Promise<void> {
    await this.connections.commands.publish(ALL, queueId);
  }

  /** Waits from now on: a wake-up between this call and `wakeUp` is not missed. */
  wait(queueId: string): Waiter {
    this.listen();
    const state: WaiterState = { woken: false, using: false, resolve: undefined };
    const waiters = this.waiting.get(queueId) ?? new Set();
    this.waiting.set(queueId, waiters.add(state));
    return {
      looking: () => {
        state.using ||= state.woken;
        state.woken = false;
      },
      looked: () => (state.using = false),
      wakeUp: () => nextWakeUp(state),
      end: () => this.end(queueId, waiters, state),
    };
  }

  /** Everybody in this process looks again. */
  wakeEverybody(): void {
    for (const waiters of this.waiting.values()) for (const state of waiters) wake(state);
  }

  private end(queueId: string, waiters: Set<WaiterState>, state: WaiterState): void {
    waiters.delete(state);
    if (waiters.size === 0) this.waiting.delete(queueId);
    else if (state.woken || state.using) this.wakeOne(queueId);
  }

  private wakeOne(queueId: string): void {
    for (const state of this.waiting.get(queueId) ?? []) {
      if (!state.woken) return wake(state);
    }
  }

  private listen(): void {
    if (this.listening) return;
    this.listening = true;
    this.listenTo(ONE, (queueId) => this.wakeOne(queueId));
    this.listenTo(ALL, (queueId) => {
      for (const state of this.waiting.get(queueId) ?? []) wake(state);
    });
  }

  /** What was announced before the subscription, or while the connection was away, is gone: everybody looks once. */
  private listenTo(channel: string, onQueue: (queueId: string) => void): void {
    const onMessage = (queueId: Buffer): void => onQueue(queueId.toString());
    const onResumed = (): void => this.wakeEverybody();
    this.connections.subscriptions
      .open(channel, { onMessage, onResumed })
      .then(onResumed, (error: unknown) =>
        this.logger.warn({ err: error }, 'polls are not woken; they look again when they end'),
      );
  }
}

function nextWakeUp(state: WaiterState): Promise<void> {
  return state.woken ? Promise.resolve() : new Promise((resolve) => (state.resolve = resolve));
}

function wake(state: WaiterState): void {
  state.woken = true;
  state.resolve?.();
  state.resolve = undefined;
}
