import { TaskQueues, TopicHandler } from '@app/dispatch';
import { createLogger, noteExecution } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { executionQueued, type ExecutionQueued } from '../executions/execution.topics.js';

@Injectable()
export class ExecutionQueuedHandler extends TopicHandler<ExecutionQueued> {
  override readonly topic = executionQueued;
  private readonly logger = createLogger('executions');

  constructor(private readonly queues: TaskQueues) {
    super();
  }

  override async handle({ queueId, ...delivery }: ExecutionQueued): Promise<void> {
    noteExecution(delivery.executionId);
    await this.queues.enqueue(queueId, delivery);
    this.logger.info({ attempt: delivery.attempt, queue_id: queueId }, 'execution relayed to its worker queue');
  }
}
