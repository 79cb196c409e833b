import { Database } from '@app/database';
import type { Delivery } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';
import { Injectable } from '@nestjs/common';
import { countCte } from '../executions/execution-counts.sql.js';

export interface QueueDepth {
  readonly queueId: string;
  readonly waiting: number;
}

const WAITING = `status = 'pending' AND lease_expires_at IS NULL AND queued_at IS NOT NULL`;

/** Each trigger may ask: a queue with a hundred thousand waiting is as bad a choice as one with a thousand. */
const COUNTED_UP_TO = 1000;

/** What the task queues ought to hold: pending executions without a lease, each in the attempt it stands at. */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly database: Database) {}

  /** Queues with executions that were ready before the given moment, and how many of them. */
  async waitingByQueue(readyBefore: Date): Promise<QueueDepth[]> {
    return this.database.sql<QueueDepth>(
      `SELECT worker_queue_id AS "queueId", count(*)::integer AS waiting FROM executions
       WHERE ${WAITING} AND worker_queue_id IS NOT NULL AND queued_at <= $1 GROUP BY worker_queue_id`,
      [readyBefore],
    );
  }

  /** How many executions wait in each of the queues, counted up to a bound. */
  async waitingIn(queueIds: readonly string[]): Promise<QueueDepth[]> {
    return this.countIn(queueIds, WAITING);
  }

  /** How many executions of each queue have not ended, counted up to a bound. */
  async openIn(queueIds: readonly string[]): Promise<QueueDepth[]> {
    return this.countIn(queueIds, `status IN ('pending', 'running', 'waiting_for_input', 'paused')`);
  }

  /** What a queue ought to hold, in the order in which it became ready, one page after another. */
  async waitingAfter(queueId: string, after: Cursor | undefined, limit: number): Promise<(Delivery & Cursor)[]> {
    return this.database.sql<Delivery & Cursor>(
      `SELECT organization_id AS "organizationId", id AS "executionId", attempt, queued_at AS "queuedAt" FROM executions
       WHERE ${WAITING} AND worker_queue_id = $1
         AND ($2::timestamptz IS NULL OR (queued_at, organization_id, id) > ($2, $3, $4))
       ORDER BY queued_at, organization_id, id LIMIT $5`,
      [queueId, after?.queuedAt ?? null, after?.organizationId ?? null, after?.executionId ?? null, limit],
    );
  }

  /** Queues in which something waits. */
  async queuesWaitedIn(): Promise<string[]> {
    const rows = await this.database.sql<{ id: string }>(
      `SELECT DISTINCT worker_queue_id AS id FROM executions WHERE ${WAITING} AND worker_queue_id IS NOT NULL`,
    );
    return rows.map(({ id }) => id);
  }

  /** Fails what waits in a queue, oldest first and some at a time, with its jobs' counters. Answers what failed. */
  async failWaitingIn(queueId: string, reason: string, now: Date, limit: number): Promise<ExecutionRef[]> {
    return this.database.sql<ExecutionRef>(
      `WITH chosen AS (
         SELECT organization_id, id, status FROM executions WHERE ${WAITING} AND worker_queue_id = $1
         ORDER BY queued_at, organization_id, id LIMIT $4 FOR UPDATE SKIP LOCKED
       ), changed AS (
         UPDATE executions e SET status = 'failed', error_message = $2, queued_at = NULL, updated_at = $3,
           completed_at = greatest($3::timestamptz, e.started_at)
         FROM chosen WHERE e.organization_id = chosen.organization_id AND e.id = chosen.id
         RETURNING e.organization_id, e.id, e.status, chosen.status AS previous_status, e.job_id
       ), ${countCte('changed', 'changed')}
       SELECT organization_id AS "organizationId", id AS "executionId" FROM changed`,
      [queueId, reason, now, limit],
    );
  }

  private async countIn(queueIds: readonly string[], condition: string): Promise<QueueDepth[]> {
    return this.database.sql<QueueDepth>(
      `SELECT queue.id AS "queueId", (
         SELECT count(*)::integer FROM (
           SELECT 1 FROM executions WHERE worker_queue_id = queue.id AND ${condition} LIMIT ${COUNTED_UP_TO}
         ) counted
       ) AS waiting
       FROM unnest($1::text[]) AS queue (id)`,
      [queueIds],
    );
  }
}

export interface Cursor {
  readonly queuedAt: Date;
  readonly organizationId: string;
  readonly executionId: string;
}
