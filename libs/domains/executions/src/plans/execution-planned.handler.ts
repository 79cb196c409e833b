import { TopicHandler } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';
import { noteExecution } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ExecutionChangePublisher } from '../executions/execution-change-publisher.js';
import { executionPlanned } from '../executions/execution.events.js';
import { ExecutionRepository } from '../executions/execution.repository.js';

/** Publishes the `metadata` event of a plan. Idempotent: a repeated message publishes no event again. */
@Injectable()
export class ExecutionPlannedHandler extends TopicHandler<ExecutionRef> {
  override readonly topic = executionPlanned;

  constructor(
    private readonly executions: ExecutionRepository,
    private readonly changes: ExecutionChangePublisher,
  ) {
    super();
  }

  override async handle(execution: ExecutionRef): Promise<void> {
    noteExecution(execution);
    const { plan = null } = (await this.executions.findDone(execution)) ?? {};
    if (plan !== null) await this.changes.publishPlan(execution, plan);
  }
}
