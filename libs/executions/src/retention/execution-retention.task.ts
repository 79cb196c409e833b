import { RetentionConfig, retentionLimit } from '@app/config';
import { PeriodicTasks } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { ExecutionRetentionRepository } from './execution-retention.repository.js';

/** Small, so that a batch locks its rows and counters only for milliseconds. */
const BATCH_SIZE = 200;

/** Deletes executions some time after their end, with their sessions, messages and records. */
@Injectable()
export class ExecutionRetentionTask {
  constructor(
    private readonly executions: ExecutionRetentionRepository,
    private readonly config: RetentionConfig,
    private readonly clock: Clock,
    private readonly tasks: PeriodicTasks,
  ) {}

  @Cron(CronExpression.EVERY_10_MINUTES, { name: 'executions.prune', waitForCompletion: true })
  async schedule(): Promise<void> {
    await this.tasks.run('executions.prune', (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    const endedBefore = retentionLimit(this.clock.now(), this.config.executionDays);
    if (endedBefore === undefined) return;
    while (!signal.aborted && (await this.executions.prune(endedBefore, BATCH_SIZE)).more);
  }
}
