import { Database } from '@app/database';
import { Clock, newId } from '@app/kernel';
import { currentContext, traceparentOf } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { OutboxTopic } from './outbox-topic.js';
import { OutboxRepository } from './outbox.repository.js';
import { Relay } from './relay.js';

/** How long the process that committed a message has for relaying it before sweepers look at it, in milliseconds. */
const HEAD_START_MS = 2000;

/** Messages about to be written by a statement of their sender's own (see `insertOutboxRows`). */
export interface OutboxDraft {
  /** JSON, as one parameter. */
  readonly rows: string;
  /** Call it once the statement ran: the messages are handed on as soon as it is committed. */
  send(): void;
}

/**
 * Messages that must follow from a commit: a message exists if and only if the facts do. It is handed to its topic's
 * handler right after the commit by this process, or, where that fails or the process dies first, by a dispatcher's
 * sweeper.
 */
@Injectable()
export class Outbox {
  constructor(
    private readonly database: Database,
    private readonly messages: OutboxRepository,
    private readonly relay: Relay,
    private readonly clock: Clock,
  ) {}

  /** Takes part in the caller's transaction. */
  async add<Payload extends object>(topic: OutboxTopic<Payload>, ...payloads: readonly Payload[]): Promise<void> {
    if (payloads.length === 0) return;
    const draft = this.draft(topic, ...payloads);
    await this.messages.insert(draft.rows);
    draft.send();
  }

  /** The same for hot paths: facts and messages in one statement instead of a transaction around several. */
  draft<Payload extends object>(topic: OutboxTopic<Payload>, ...payloads: readonly Payload[]): OutboxDraft {
    const now = this.clock.millis();
    const context = currentContext();
    const traceparent = context === undefined ? null : traceparentOf(context.traceId);
    const times = { created_at: new Date(now), next_attempt_at: new Date(now + HEAD_START_MS) };
    const messages = payloads.map((payload) => ({ id: newId(), topic: topic.name, payload, traceparent }));
    return {
      rows: JSON.stringify(messages.map((message) => ({ ...message, ...times, attempts: 0 }))),
      send: () => this.database.afterCommit(async () => void (await this.relay.relay(messages))),
    };
  }
}
