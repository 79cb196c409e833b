import { TaskQueues, TopicHandler } from '@app/dispatch';
import { EventLog, type ExecutionRef } from '@app/events';
import { noteExecution, noteOrganization } from '@app/observability';
import { Injectable, Optional } from '@nestjs/common';
import { ExecutionChangePublisher } from './execution-change-publisher.js';
import { SessionTurns } from '../session-turns/session-turns.js';
import { ExecutionTraces } from './execution-traces.js';
import { ExecutionRepository } from './execution.repository.js';
import { doneDataOf, executionFinished, type ExecutionFinished } from './execution.events.js';

/**
 * Publishes the plan (if there is one), the final `status` event and then `done`, with which the streams of readers end.
 * Removes the delivery, which no worker needs any more, and stores the spans of the trace. Beside this, queues the next
 * execution of the session, which may have to wait for a lock. Idempotent: a repeated message publishes no event twice.
 */
@Injectable()
export class ExecutionFinishedHandler extends TopicHandler<ExecutionFinished> {
  override readonly topic = executionFinished;

  constructor(
    private readonly executions: ExecutionRepository,
    private readonly log: EventLog,
    private readonly changes: ExecutionChangePublisher,
    private readonly queues: TaskQueues,
    private readonly turns: SessionTurns,
    @Optional() private readonly traces?: ExecutionTraces,
  ) {
    super();
  }

  override async handle({ from, delivery, inSession, ...execution }: ExecutionFinished): Promise<void> {
    noteExecution(execution);
    noteOrganization(execution.organizationId);
    const outcomes = await Promise.allSettled([
      this.publishEnd(execution, from, delivery),
      inSession === true ? this.turns.advance(execution) : undefined,
    ]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  private async publishEnd(
    execution: ExecutionRef,
    from: ExecutionFinished['from'],
    delivery: ExecutionFinished['delivery'],
  ): Promise<void> {
    const row = await this.executions.findDone(execution);
    if (row !== undefined) {
      // Publishes the plan here too, because its own message may be handled only after `done`.
      if (row.plan !== null) await this.changes.publishPlan(execution, row.plan);
      await this.changes.publishFinalStatus(execution, from, row.status);
      await this.log.publishDone(execution, doneDataOf(row));
    }
    if (delivery !== undefined) {
      const { queueId, attempt } = delivery;
      await this.queues.remove(queueId, { ...execution, attempt });
    }
    await this.traces?.record(execution);
  }
}
