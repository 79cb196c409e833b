import { TaskQueues, TopicHandler } from '@app/dispatch';
import { EventLog } from '@app/events';
import { noteExecution } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ExecutionChangePublisher } from './execution-change-publisher.js';
import { ExecutionRepository } from './execution.repository.js';
import { doneDataOf, executionFinished, type ExecutionFinished } from './execution.events.js';

/**
 * Publishes the plan, if there is one, the final `status` event, then `done`; in this order, because a stream ends at the first
 * `done`. Then removes the delivery that no worker needs any more. Idempotent: a repeated message publishes no event again.
 */
@Injectable()
export class ExecutionFinishedHandler extends TopicHandler<ExecutionFinished> {
  override readonly topic = executionFinished;

  constructor(
    private readonly executions: ExecutionRepository,
    private readonly log: EventLog,
    private readonly changes: ExecutionChangePublisher,
    private readonly queues: TaskQueues,
  ) {
    super();
  }

  override async handle({ from, delivery, ...execution }: ExecutionFinished): Promise<void> {
    noteExecution(execution.executionId);
    const row = await this.executions.findDone(execution);
    if (row !== undefined) {
      // Repeats the message about the plan, which may be delivered later: `done` ends the streams of the readers.
      if (row.plan !== null) await this.changes.publishPlan(execution, row.plan);
      await this.changes.publishFinalStatus(execution, from, row.status);
      await this.log.publish(execution, { event_type: 'done', data: doneDataOf(row), dedupeKey: 'done' }, null);
    }
    if (delivery === undefined) return;
    const { queueId, attempt } = delivery;
    await this.queues.remove(queueId, { ...execution, attempt });
  }
}
