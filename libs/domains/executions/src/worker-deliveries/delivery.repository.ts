import { Database } from '@app/database';
import type { Delivery } from '@app/dispatch';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import {
  COUNT_LEASES,
  COUNT_OPEN_IN,
  COUNT_RUNNING,
  COUNT_WAITING_IN,
  FIND_OVERDUE_IN,
  FIND_QUEUES_WITH_WAITING,
  FIND_STILL_WAITING,
  FIND_WAITING_AFTER,
  READ_PROGRESS,
  READ_WAITS,
} from './delivery.sql.js';

export interface QueueDepth {
  readonly queueId: string;
  readonly waiting: number;
}

/** The executions that wait in a queue. */
export interface QueueWait {
  readonly queue_id: string;
  /** Counted up to 10,000. */
  readonly waiting: number;
  /** Time since which the oldest one waits; null if none waits. */
  readonly oldest_waiting_at: Date | null;
  /** Null if no execution waits. */
  readonly organization_id: string | null;
  /** Time of the measurement. */
  readonly at: Date;
}

/** The executions of a queue that have begun and have not ended. */
export interface QueueProgress {
  readonly queue_id: string;
  readonly running: number;
  readonly paused: number;
  readonly waiting_for_input: number;
  /** Last change of the execution that has waited for input longest; null if none waits for input. */
  readonly oldest_waiting_for_input_at: Date | null;
}

export interface RunningInQueue extends Pick<QueueProgress, 'queue_id' | 'running'> {
  readonly organization_id: string;
}

/**
 * Determines the deliveries that the task queues should contain: one for the current attempt of each pending execution
 * without a lease.
 */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly database: Database) {}

  /** Returns the oldest executions of each queue that were ready before the given time. */
  async overdueIn(queueIds: readonly string[], readyBefore: Date, limit: number): Promise<OverdueDelivery[]> {
    return this.database.sql<OverdueDelivery>(FIND_OVERDUE_IN, [queueIds, readyBefore, limit]);
  }

  /** Returns those of the deliveries whose executions still wait for them in the queue, oldest first. */
  async stillWaiting(queueId: string, deliveries: readonly Delivery[]): Promise<Delivery[]> {
    return this.database.sql<Delivery>(FIND_STILL_WAITING, [
      queueId,
      deliveries.map(({ organizationId }) => organizationId),
      deliveries.map(({ executionId }) => executionId),
      deliveries.map(({ attempt }) => attempt),
    ]);
  }

  /** Returns the number of waiting executions of each queue, counted up to a limit. */
  async waitingIn(queueIds: readonly string[]): Promise<readonly QueueDepth[]> {
    return this.database.shared<QueueDepth>(COUNT_WAITING_IN, [queueIds]);
  }

  /** Returns the number of executions of a queue that have not ended, counted up to a limit. */
  async openIn({ organizationId }: Scope, queueId: string): Promise<number> {
    const [counted] = await this.database.sql<{ open: number }>(COUNT_OPEN_IN, [organizationId, queueId]);
    return counted?.open ?? 0;
  }

  /**
   * Returns a page of the waiting executions of a queue that are ready at the time `now`, in the order in which they
   * became ready.
   */
  async waitingAfter(
    queueId: string,
    after: DeliveryCursor | undefined,
    now: Date,
    limit: number,
  ): Promise<(Delivery & DeliveryCursor)[]> {
    const cursor = [after?.queuedAt ?? null, after?.organizationId ?? null, after?.executionId ?? null];
    return this.database.sql<Delivery & DeliveryCursor>(FIND_WAITING_AFTER, [queueId, ...cursor, limit, now]);
  }

  /** Returns the ids of the queues with waiting executions. */
  async queuesWaitedIn(): Promise<string[]> {
    const rows = await this.database.sql<{ id: string }>(FIND_QUEUES_WITH_WAITING);
    return rows.map(({ id }) => id);
  }

  /** Returns the number of executions that wait in each of the queues, and since when. */
  async waitsIn(queueIds: readonly string[]): Promise<QueueWait[]> {
    return this.database.sql<QueueWait>(READ_WAITS, [queueIds]);
  }

  /** Returns the progress of those queues in which executions have begun. */
  async progressIn({ organizationId }: Scope, queueIds: readonly string[]): Promise<QueueProgress[]> {
    return this.database.sql<QueueProgress>(READ_PROGRESS, [organizationId, queueIds]);
  }

  /** Returns the number of running executions of each queue that has any. */
  async running(): Promise<RunningInQueue[]> {
    return this.database.sql<RunningInQueue>(COUNT_RUNNING);
  }

  /** Returns the number of leases of all organizations, counted up to 100,000. */
  async countLeases(): Promise<number> {
    const [row] = await this.database.sql<{ leases: number }>(COUNT_LEASES);
    return row?.leases ?? 0;
  }
}

export interface OverdueDelivery extends Delivery {
  readonly queueId: string;
}

export interface DeliveryCursor {
  readonly queuedAt: Date;
  readonly organizationId: string;
  readonly executionId: string;
}
