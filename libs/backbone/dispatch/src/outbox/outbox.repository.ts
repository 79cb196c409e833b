import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { DELETE_MESSAGES, INSERT_MESSAGES, CLAIM_OVERDUE_MESSAGES, READ_BACKLOG } from './outbox.sql.js';

/** A message that its topic's handler has not handled yet. */
export interface OutboxMessage {
  readonly id: string;
  readonly topic: string;
  readonly payload: object;
  /** The trace context of the transaction; null: none. */
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}

/** A message that was not relayed in time; `attempts` includes the current one. */
export interface OverdueMessage extends OutboxMessage {
  readonly attempts: number;
}

/** The row of a message. */
export interface StoredOutboxMessage extends OverdueMessage {
  readonly created_at: Date;
  readonly next_attempt_at: Date;
}

/** The messages that wait in the outbox. */
export interface OutboxBacklog {
  /** Counted up to 10,000. */
  readonly rows: number;
  /** Age of the oldest message; 0 if there is none. */
  readonly oldest_seconds: number;
}

/**
 * Messages that are not handled yet. A row exists from the commit of its transaction until its handler has succeeded, so a
 * handler runs at least once. Rows have no organization column: the payload contains the organization.
 */
@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** Inserts the rows of a draft, given as JSON, in the current transaction. */
  async insert(rows: string): Promise<void> {
    await this.database.prepared(INSERT_MESSAGES, [rows]);
  }

  /** Deletes handled messages; unknown ids are ignored. */
  async delete(ids: readonly string[]): Promise<void> {
    await this.database.prepared(DELETE_MESSAGES, [ids]);
  }

  /**
   * Claims due messages, longest due first, and postpones their next attempt. No other dispatcher claims them
   * meanwhile, and they become due again if this one dies.
   */
  async claimOverdue(now: Date, limit: number): Promise<OverdueMessage[]> {
    return this.database.prepared<OverdueMessage>(CLAIM_OVERDUE_MESSAGES, [now, limit]);
  }

  async backlog(): Promise<OutboxBacklog> {
    const [backlog] = await this.database.sql<OutboxBacklog>(READ_BACKLOG);
    return backlog ?? { rows: 0, oldest_seconds: 0 };
  }
}
