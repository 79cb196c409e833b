import { TopicHandler } from '@app/dispatch';
import { EventLog } from '@app/events';
import { noteExecution } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ExecutionChangePublisher } from './execution-change-publisher.js';
import { ExecutionRepository } from './execution.repository.js';
import { doneDataOf, executionDone, type ExecutionDone } from './execution.events.js';

/**
 * Publishes the `done` event of an execution that others than its worker have ended, with the usage that the worker has
 * reported since. Idempotent: the first of the messages publishes it.
 */
@Injectable()
export class ExecutionDoneHandler extends TopicHandler<ExecutionDone> {
  override readonly topic = executionDone;

  constructor(
    private readonly executions: ExecutionRepository,
    private readonly log: EventLog,
    private readonly changes: ExecutionChangePublisher,
  ) {
    super();
  }

  override async handle({ from, ...execution }: ExecutionDone): Promise<void> {
    noteExecution(execution);
    const row = await this.executions.findDone(execution);
    if (row === undefined) return;
    // Its own message may be handled only after this one.
    if (!(await this.changes.hasFinalStatus(execution)))
      await this.changes.publishFinalStatus(execution, from, row.status);
    await this.log.publishDone(execution, doneDataOf(row));
  }
}
