import { RetentionConfig, retentionLimit } from '@app/config';
import { PeriodicTask } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { UserSessionRepository } from '../user-sessions/user-session.repository.js';
import { ExecutionRetentionRepository } from './execution-retention.repository.js';

/** Small, so that a batch locks its rows and counters only for milliseconds. */
const BATCH_SIZE = 200;

/** Deletes executions some time after their end, with their messages and records, and sessions whose executions are gone. */
@Injectable()
export class ExecutionRetentionTask {
  constructor(
    private readonly executions: ExecutionRetentionRepository,
    private readonly sessions: UserSessionRepository,
    private readonly config: RetentionConfig,
    private readonly clock: Clock,
  ) {}

  @PeriodicTask(CronExpression.EVERY_10_MINUTES, 'executions.prune')
  async run(signal: AbortSignal): Promise<void> {
    const endedBefore = retentionLimit(this.clock.now(), this.config.executionDays);
    if (endedBefore === undefined) return;
    while (!signal.aborted && (await this.executions.prune(endedBefore, BATCH_SIZE)).more);
    while (!signal.aborted && (await this.sessions.prune(endedBefore, BATCH_SIZE)) === BATCH_SIZE);
  }
}
