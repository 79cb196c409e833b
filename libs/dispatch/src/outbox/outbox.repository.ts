import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { insertOutboxRows } from './outbox.sql.js';

/** A message as it is kept until its topic's handler has taken it. */
export interface OutboxMessage {
  readonly id: string;
  readonly topic: string;
  readonly payload: object;
  readonly traceparent: string | null;
}

/** One that was not relayed in time; `attempts` counts the present one. */
export interface OverdueMessage extends OutboxMessage {
  readonly attempts: number;
}

/**
 * Messages on their way. A row is there from the commit of its facts until its handler has succeeded, so a handler may
 * run twice, and never not at all. It has no tenant: a message carries its organisation in its payload.
 */
@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** The rows of a draft, as JSON; part of the present transaction. */
  async insert(rows: string): Promise<void> {
    await this.database.prepared('outbox.insert', insertOutboxRows('$1'), [rows]);
  }

  /** Those that were handled; ids that are gone already do no harm. */
  async delete(ids: readonly string[]): Promise<void> {
    await this.database.prepared('outbox.delete', 'DELETE FROM outbox WHERE id = ANY($1)', [ids]);
  }

  /**
   * Takes messages whose time has come, oldest first, and pushes their next time back (a second, then doubling, up to
   * 15 s), so that nobody else takes them meanwhile and a dispatcher that dies with them loses nothing.
   */
  async takeOverdue(now: Date, limit: number): Promise<OverdueMessage[]> {
    return this.database.prepared<OverdueMessage>(
      'outbox.take_overdue',
      `UPDATE outbox SET
         attempts = attempts + 1,
         next_attempt_at = $1::timestamptz + least(power(2, least(attempts, 10)), 15) * interval '1 second'
       WHERE id IN (
         SELECT id FROM outbox WHERE next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED
       )
       RETURNING id, topic, payload, traceparent, attempts`,
      [now, limit],
    );
  }
}
