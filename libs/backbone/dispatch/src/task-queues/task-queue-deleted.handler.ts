import { Injectable } from '@nestjs/common';
import { OutboxTopic, TopicHandler } from '../outbox/outbox-topic.js';
import { BullQueues } from './bull-queues.js';

export interface TaskQueueDeleted {
  readonly queueId: string;
}

/** A worker queue was deleted. Its id is never used again. */
export const taskQueueDeleted = new OutboxTopic<TaskQueueDeleted>('task_queue.deleted');

/** Removes the queue with all its keys from Redis. Idempotent. */
@Injectable()
export class TaskQueueDeletedHandler extends TopicHandler<TaskQueueDeleted> {
  override readonly topic = taskQueueDeleted;

  constructor(private readonly queues: BullQueues) {
    super();
  }

  override async handle({ queueId }: TaskQueueDeleted): Promise<void> {
    await this.queues.delete(queueId);
  }
}
