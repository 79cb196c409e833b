import { TopicHandler } from '@app/dispatch';
import { EventLog, type ExecutionRef } from '@app/events';
import { noteExecution } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { doneOf } from './execution-done.js';
import { ExecutionRepository } from './execution.repository.js';
import { executionFinished } from './execution.topics.js';

/** Tells the readers that nothing more comes. Twice does no harm: a stream ends at the first. */
@Injectable()
export class ExecutionFinishedHandler extends TopicHandler<ExecutionRef> {
  override readonly topic = executionFinished;

  constructor(
    private readonly executions: ExecutionRepository,
    private readonly log: EventLog,
  ) {
    super();
  }

  override async handle(execution: ExecutionRef): Promise<void> {
    noteExecution(execution.executionId);
    const row = await this.executions.find(execution, execution.executionId);
    if (row !== undefined) await this.log.publish(execution, { event_type: 'done', data: doneOf(row) }, null);
  }
}
