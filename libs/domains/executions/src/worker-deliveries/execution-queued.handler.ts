import { TaskQueues, TopicHandler, type RelayContext } from '@app/dispatch';
import { createLogger, noteExecution } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { DeliveryService } from './delivery.service.js';
import { executionQueued, type ExecutionQueued } from '../executions/execution.events.js';

/** Adds an attempt to its worker queue. Idempotent: the delivery's id derives from execution and attempt. */
@Injectable()
export class ExecutionQueuedHandler extends TopicHandler<ExecutionQueued> {
  override readonly topic = executionQueued;
  private readonly logger = createLogger('executions');

  constructor(
    private readonly queues: TaskQueues,
    private readonly deliveries: DeliveryService,
  ) {
    super();
  }

  override async handle({ queueId, ...delivery }: ExecutionQueued, { isOverdue }: RelayContext): Promise<void> {
    noteExecution(delivery);
    await this.queues.enqueue(queueId, delivery);
    // If the execution ended before this, nothing has removed the delivery, because it was not in the queue yet.
    if (isOverdue) await this.deliveries.removeUnneeded(queueId, [delivery]);
    this.logger.info({ attempt: delivery.attempt, queue_id: queueId }, 'execution relayed to its worker queue');
  }
}
