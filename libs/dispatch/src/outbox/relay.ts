import { newId } from '@app/kernel';
import { createLogger, runInContext, traceIdFrom } from '@app/observability';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { OutboxRepository, type OutboxMessage } from './outbox.repository.js';
import { TopicHandlers } from './topic-handlers.js';

/** Hands messages to their handlers and drops the rows of those that succeeded. */
@Injectable()
export class Relay implements OnApplicationShutdown {
  private readonly logger = createLogger('relay');
  private done: string[] = [];
  private dropping: Promise<void> | undefined;
  private readonly underWay = new Set<Promise<number>>();

  constructor(
    private readonly messages: OutboxRepository,
    private readonly handlers: TopicHandlers,
  ) {}

  /** Never fails: what could not be handed on keeps its row, and a sweeper tries again. Answers how many succeeded. */
  async relay(messages: readonly OutboxMessage[]): Promise<number> {
    const relaying = this.handleAll(messages);
    this.underWay.add(relaying);
    return relaying.finally(() => this.underWay.delete(relaying));
  }

  /**
   * At this point the server is closed, so no request starts another relay, and the connections are open: they belong to
   * global modules, which end last.
   */
  async onApplicationShutdown(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async handleAll(messages: readonly OutboxMessage[]): Promise<number> {
    const outcomes = await Promise.all(messages.map((message) => this.handle(message)));
    const handled = messages.filter((_message, index) => outcomes[index] === true);
    if (handled.length > 0) await this.drop(handled.map(({ id }) => id));
    return handled.length;
  }

  private async handle(message: OutboxMessage): Promise<boolean> {
    const handler = this.handlers.handlerOf(message.topic);
    if (handler === undefined) {
      this.logger.error({ topic: message.topic, message_id: message.id }, 'no handler for an outbox message; it stays');
      return false;
    }
    const context = { requestId: newId(), traceId: traceIdFrom(message.traceparent ?? undefined) };
    try {
      await runInContext(context, () => handler.handle(message.payload));
      return true;
    } catch (error) {
      this.logger.warn(
        { reason: (error as Error).message, topic: message.topic, message_id: message.id },
        'a message could not be handed on; it is tried again',
      );
      return false;
    }
  }

  /** One DELETE at a time; what succeeds meanwhile shares the next one. */
  private async drop(ids: readonly string[]): Promise<void> {
    this.done.push(...ids);
    while (this.done.length > 0) {
      this.dropping ??= this.dropAll().finally(() => (this.dropping = undefined));
      await this.dropping;
    }
  }

  private async dropAll(): Promise<void> {
    while (this.done.length > 0) {
      const ids = this.done;
      this.done = [];
      try {
        await this.messages.delete(ids);
      } catch (error) {
        this.logger.warn(
          { reason: (error as Error).message, messages: ids.length },
          'rows of handed-on messages stay for the sweeper',
        );
      }
    }
  }
}
