import { setTimeout as pause } from 'node:timers/promises';
import { Clock, newId } from '@app/kernel';
import { createLogger, runInContext, traceContextFrom } from '@app/observability';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { RelayContext } from './outbox-topic.js';
import { OutboxRepository, type OutboxMessage } from './outbox.repository.js';
import { TopicHandlers } from './topic-handlers.js';

/** Far less than the 2 s after which a sweeper claims a message whose row still exists. */
const DELETE_DELAY_MS = 100;

/** Passes messages to their handlers and deletes the rows of those that succeeded. */
@Injectable()
export class Relay implements OnApplicationShutdown {
  private readonly logger = createLogger('relay');
  /** Ids of handled messages whose rows are not deleted yet. */
  private handledIds: string[] = [];
  private deleting: Promise<void> | undefined;
  private readonly running = new Set<Promise<number>>();

  constructor(
    private readonly messages: OutboxRepository,
    private readonly handlers: TopicHandlers,
    private readonly clock: Clock,
  ) {}

  /** Never throws: a message whose handler fails keeps its row, and a sweeper retries it. Returns how many succeeded. */
  async relay(messages: readonly OutboxMessage[]): Promise<number> {
    return this.track(this.handleAll(messages, { isOverdue: false }));
  }

  /**
   * Claims up to `limit` messages that were not relayed in time and relays them. Returns how many it claimed, and how
   * many of them succeeded; those that failed are not claimed again for some seconds.
   */
  async relayOverdue(limit: number): Promise<{ readonly claimed: number; readonly handled: number }> {
    const overdue = await this.messages.claimOverdue(this.clock.now(), limit);
    const handled = await this.track(this.handleAll(overdue, { isOverdue: true }));
    if (overdue.length > 0) this.logger.info({ overdue: overdue.length, handled }, 'overdue messages relayed');
    return { claimed: overdue.length, handled };
  }

  /**
   * Waits for the messages in progress. At this point the HTTP server is closed, so no request adds messages. The
   * connections are still open, because they belong to global modules, which are destroyed last.
   */
  async onApplicationShutdown(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private async track(relaying: Promise<number>): Promise<number> {
    this.running.add(relaying);
    return relaying.finally(() => this.running.delete(relaying));
  }

  private async handleAll(messages: readonly OutboxMessage[], context: RelayContext): Promise<number> {
    const outcomes = await Promise.all(messages.map((message) => this.handle(message, context)));
    const handled = messages.filter((_message, index) => outcomes[index] === true).map(({ id }) => id);
    if (handled.length === 0) return 0;
    if (context.isOverdue) await this.deleteAll(handled);
    else await this.deleteSoon(handled);
    return handled.length;
  }

  private async handle(message: OutboxMessage, relayContext: RelayContext): Promise<boolean> {
    const handler = this.handlers.handlerOf(message.topic);
    if (handler === undefined) {
      this.logger.error({ topic: message.topic, message_id: message.id }, 'outbox message without a handler');
      return false;
    }
    const context = { requestId: newId(), ...traceContextFrom(message.traceparent, message.tracestate) };
    try {
      await runInContext(context, () => handler.handle(message.payload, relayContext));
      return true;
    } catch (error) {
      this.logger.warn(
        { reason: (error as Error).message, topic: message.topic, message_id: message.id },
        'outbox message failed; a sweeper retries it',
      );
      return false;
    }
  }

  /**
   * Collects the ids of messages that are handled within a short time and deletes all their rows with one DELETE,
   * because each DELETE costs a commit.
   */
  private async deleteSoon(ids: readonly string[]): Promise<void> {
    this.handledIds.push(...ids);
    this.deleting ??= pause(DELETE_DELAY_MS).then(() => {
      const handled = this.handledIds;
      this.handledIds = [];
      this.deleting = undefined;
      return this.deleteAll(handled);
    });
    await this.deleting;
  }

  private async deleteAll(ids: readonly string[]): Promise<void> {
    try {
      await this.messages.delete(ids);
    } catch (error) {
      this.logger.warn(
        { reason: (error as Error).message, messages: ids.length },
        'deleting handled outbox messages failed; a sweeper relays them again',
      );
    }
  }
}
