import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository, type QueueProgress, type QueueWait } from './delivery.repository.js';

/** The executions of a queue that wait or have begun. */
export type QueueLoad = Omit<QueueWait, 'organization_id'> & QueueProgress;

/** The activity of a queue, as samples contain it. */
export interface QueueActivity {
  readonly organization_id: string;
  readonly queue_id: string;
  readonly waiting: number;
  readonly oldest_waiting_at: Date | null;
  readonly running: number;
}

/** Counts the executions of queues, for operators. */
@Injectable()
export class QueueLoadService {
  constructor(private readonly deliveries: DeliveryRepository) {}

  /** Returns the load of each of the queues, which must belong to the organization. */
  async loadsIn(scope: Scope, queueIds: readonly string[]): Promise<ReadonlyMap<string, QueueLoad>> {
    const [waits, progress] = await Promise.all([
      this.deliveries.waitsIn(queueIds),
      this.deliveries.progressIn(scope, queueIds),
    ]);
    const progressOf = new Map(progress.map((row) => [row.queue_id, row]));
    return new Map(
      waits.map(({ organization_id: _organization, ...wait }) => [
        wait.queue_id,
        { ...wait, ...(progressOf.get(wait.queue_id) ?? { queue_id: wait.queue_id, ...NO_PROGRESS }) },
      ]),
    );
  }

  /** Returns the activity of each queue that has any, in all organizations. */
  async activity(): Promise<QueueActivity[]> {
    const [waits, running] = await Promise.all([
      this.deliveries.queuesWaitedIn().then((queueIds) => this.deliveries.waitsIn(queueIds)),
      this.deliveries.running(),
    ]);
    const byQueue = new Map<string, QueueActivity>();
    for (const row of running) byQueue.set(row.queue_id, { ...row, waiting: 0, oldest_waiting_at: null });
    for (const { queue_id, organization_id, waiting, oldest_waiting_at } of waits) {
      if (organization_id === null) continue;
      const { running: begun = 0 } = byQueue.get(queue_id) ?? {};
      byQueue.set(queue_id, { organization_id, queue_id, waiting, oldest_waiting_at, running: begun });
    }
    return [...byQueue.values()];
  }
}

const NO_PROGRESS = { running: 0, paused: 0, waiting_for_input: 0, oldest_waiting_for_input_at: null };
