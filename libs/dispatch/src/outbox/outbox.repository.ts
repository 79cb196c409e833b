import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

export interface OutboxMessage {
  readonly id: string;
  readonly topic: string;
  readonly payload: object;
  readonly traceparent: string | null;
}

export interface OverdueMessage extends OutboxMessage {
  readonly attempts: number;
}

@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  async insert(messages: readonly OutboxMessage[], now: Date, firstSweepAt: Date): Promise<void> {
    await this.database.prepared(
      'outbox.insert',
      `INSERT INTO outbox (id, topic, payload, traceparent, attempts, created_at, next_attempt_at)
       SELECT id, topic, payload, traceparent, 0, $5, $6
       FROM unnest($1::text[], $2::text[], $3::json[], $4::text[]) AS message (id, topic, payload, traceparent)`,
      [
        messages.map(({ id }) => id),
        messages.map(({ topic }) => topic),
        messages.map(({ payload }) => JSON.stringify(payload)),
        messages.map(({ traceparent }) => traceparent),
        now,
        firstSweepAt,
      ],
    );
  }

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

  /** How many messages wait, and since when the oldest does. */
  async backlog(): Promise<{ readonly waiting: number; readonly oldest: Date | null }> {
    const [row] = await this.database.sql<{ waiting: number; oldest: Date | null }>(
      'SELECT count(*)::integer AS waiting, min(created_at) AS oldest FROM outbox',
    );
    return row ?? { waiting: 0, oldest: null };
  }
}
