import { TopicHandler } from '@app/dispatch';
import { EventLog } from '@app/events';
import { noteExecution } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ExecutionAnnouncer } from './execution-announcer.js';
import { doneOf } from './execution-done.js';
import { ExecutionRepository } from './execution.repository.js';
import { executionFinished, type ExecutionFinished } from './execution.topics.js';

/**
 * Tells the readers of the final state, then that nothing more comes: in this order, because a stream ends at the first
 * `done`. Each is told once, however often the message comes.
 */
@Injectable()
export class ExecutionFinishedHandler extends TopicHandler<ExecutionFinished> {
  override readonly topic = executionFinished;

  constructor(
    private readonly executions: ExecutionRepository,
    private readonly log: EventLog,
    private readonly announcer: ExecutionAnnouncer,
  ) {
    super();
  }

  override async handle({ from, ...execution }: ExecutionFinished): Promise<void> {
    noteExecution(execution.executionId);
    const row = await this.executions.find(execution, execution.executionId);
    if (row === undefined) return;
    await this.announcer.ended(execution, from, row.status);
    await this.log.publish(execution, { event_type: 'done', data: doneOf(row), once: 'done' }, null);
  }
}
