import { Database } from '@app/database';
import { Outbox, taskQueueDeleted, TaskQueues, WorkerSignals } from '@app/dispatch';
import { Injectable } from '@nestjs/common';

/** Announces changes of worker queues to the delivery of their executions. Part of the transaction of the change. */
@Injectable()
export class WorkerQueueAnnouncer {
  constructor(
    private readonly database: Database,
    private readonly taskQueues: TaskQueues,
    private readonly outbox: Outbox,
    private readonly workers: WorkerSignals,
  ) {}

  /** Lets the workers of a queue read its settings again. */
  changed(queueId: string): void {
    this.database.afterCommit(() => this.workers.queueChanged(queueId));
  }

  /** Wakes the polls of a queue, which would otherwise not notice until they end that it is not paused any more. */
  activated(queueId: string): void {
    this.database.afterCommit(() => this.taskQueues.wake(queueId));
  }

  async deleted(queueId: string): Promise<void> {
    await this.outbox.add(taskQueueDeleted, { queueId });
  }
}
