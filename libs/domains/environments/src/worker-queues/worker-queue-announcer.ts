import { Database } from '@app/database';
import { Outbox, taskQueueDeleted, TaskQueues, WorkerSignals } from '@app/dispatch';
import { Injectable } from '@nestjs/common';

/** Notifies workers and polls of changes of their queue: after the commit inside a transaction, otherwise at once. */
@Injectable()
export class WorkerQueueAnnouncer {
  constructor(
    private readonly database: Database,
    private readonly taskQueues: TaskQueues,
    private readonly outbox: Outbox,
    private readonly workers: WorkerSignals,
  ) {}

  /** Makes the workers of a queue read its settings again. */
  changed(queueId: string): void {
    this.database.afterCommit(() => this.workers.queueChanged(queueId));
  }

  /** Wakes the polls of a queue that is no longer paused; otherwise they would wait until they end. */
  activated(queueId: string): void {
    this.database.afterCommit(() => this.taskQueues.wake(queueId));
  }

  async deleted(queueId: string): Promise<void> {
    await this.outbox.add(taskQueueDeleted, { queueId });
  }
}
