import { Database } from '@app/database';
import { Clock, newId } from '@app/kernel';
import { currentContext, traceparentOf } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { OutboxTopic } from './outbox-topic.js';
import { OutboxRepository } from './outbox.repository.js';
import { Relay } from './relay.js';

/** How long the process that committed a message has for relaying it before sweepers look at it, in milliseconds. */
const HEAD_START_MS = 2000;

/**
 * Messages that must follow from a commit. `add` takes part in the caller's transaction: the message exists if and only
 * if the facts do. It is handed to its topic's handler right after the commit by this process, or, where that fails or
 * the process dies first, by a dispatcher's sweeper.
 */
@Injectable()
export class Outbox {
  constructor(
    private readonly database: Database,
    private readonly messages: OutboxRepository,
    private readonly relay: Relay,
    private readonly clock: Clock,
  ) {}

  async add<Payload extends object>(topic: OutboxTopic<Payload>, ...payloads: readonly Payload[]): Promise<void> {
    if (payloads.length === 0) return;
    const now = this.clock.now();
    const context = currentContext();
    const traceparent = context === undefined ? null : traceparentOf(context.traceId);
    const messages = payloads.map((payload) => ({ id: newId(), topic: topic.name, payload, traceparent }));
    await this.messages.insert(messages, now, new Date(now.getTime() + HEAD_START_MS));
    this.database.afterCommit(async () => void (await this.relay.relay(messages)));
  }
}
