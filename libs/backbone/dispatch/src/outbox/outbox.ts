import { Database } from '@app/database';
import { Clock, newId } from '@app/kernel';
import { currentContext, traceparentOf } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { OutboxTopic } from './outbox-topic.js';
import { OutboxRepository, type OutboxMessage, type StoredOutboxMessage } from './outbox.repository.js';
import { Relay } from './relay.js';
import { TopicHandlers } from './topic-handlers.js';

/** Time in which the committing process should relay a message. After it, sweepers claim the message. */
const HEAD_START_MS = 2000;

/** Messages that the caller inserts with its own statement; see `insertOutboxRowsOf`. */
export interface OutboxDraft {
  /** The rows as JSON, for one parameter. */
  readonly rows: string;
  /** Must be called after the statement. Relays the messages after the commit. */
  send(): void;
}

/** A message that is relayed at a given time or soon after it. */
export interface DueMessage<Payload extends object> {
  readonly payload: Payload;
  readonly dueAt: Date;
}

/**
 * A transactional outbox: a message is stored if and only if the transaction commits. This process relays it to the handler
 * of its topic after the commit. If that fails or the process dies, the sweeper of a dispatcher relays it.
 */
@Injectable()
export class Outbox {
  constructor(
    private readonly database: Database,
    private readonly messages: OutboxRepository,
    private readonly relay: Relay,
    private readonly handlers: TopicHandlers,
    private readonly clock: Clock,
  ) {}

  /** Stores messages. Takes part in the caller's transaction. */
  async add<Payload extends object>(topic: OutboxTopic<Payload>, ...payloads: readonly Payload[]): Promise<void> {
    if (payloads.length === 0) return;
    const draft = this.draft(topic, ...payloads);
    await this.messages.insert(draft.rows);
    draft.send();
  }

  /**
   * For hot paths: returns a draft that the caller inserts together with its own rows, in one statement instead of a
   * transaction.
   */
  draft<Payload extends object>(topic: OutboxTopic<Payload>, ...payloads: readonly Payload[]): OutboxDraft {
    const dueAt = this.clock.now();
    return this.dueDraft(topic, ...payloads.map((payload) => ({ payload, dueAt })));
  }

  /** Like `draft`; sweepers relay the messages that are due later. */
  dueDraft<Payload extends object>(
    topic: OutboxTopic<Payload>,
    ...messages: readonly DueMessage<Payload>[]
  ): OutboxDraft {
    const now = this.clock.millis();
    const due: OutboxMessage[] = [];
    const rows = messages.map(({ payload, dueAt }) => {
      const message = this.messageOf(topic, payload);
      if (dueAt.getTime() > now) return { ...rowOf(message, now), next_attempt_at: dueAt };
      due.push(message);
      return rowOf(message, now);
    });
    return { rows: JSON.stringify(rows), send: () => this.relayAfterCommit(due) };
  }

  private messageOf({ name }: { readonly name: string }, payload: object): OutboxMessage {
    if (this.handlers.handlerOf(name) === undefined) throw new Error(`The outbox topic ${name} has no handler`);
    const context = currentContext();
    return {
      id: newId(),
      topic: name,
      payload,
      traceparent: context === undefined ? null : traceparentOf(context),
      tracestate: context?.traceState ?? null,
    };
  }

  private relayAfterCommit(messages: readonly OutboxMessage[]): void {
    this.database.afterCommit(async () => void (await this.relay.relay(messages)));
  }
}

/** Returns the row of a message that the committing process relays. */
function rowOf(message: OutboxMessage, now: number): StoredOutboxMessage {
  return { ...message, attempts: 0, created_at: new Date(now), next_attempt_at: new Date(now + HEAD_START_MS) };
}
