import { WorkerQueueService } from '@app/environments';
import type { Execution } from '@app/executions';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { waitingMessage } from '../started-execution.mapper.js';

/** Explains to the reader of a stream why its execution does not start. */
@Injectable()
export class StreamHints {
  constructor(private readonly queues: WorkerQueueService) {}

  /** Returns null unless the execution waits in a queue without a live worker. */
  async hintFor(scope: Scope, execution: Pick<Execution, 'status' | 'worker_queue_id'>): Promise<string | null> {
    const { status, worker_queue_id: queueId } = execution;
    if (status !== 'pending' || queueId === null) return null;
    const queue = await this.queues.find(scope, queueId);
    return queue?.active_workers === 0 ? `Pending: ${waitingMessage(queue.name)}` : null;
  }
}
