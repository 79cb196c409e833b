import { PeriodicTask } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { JobInstantRepository } from './job-instant.repository.js';

const BATCH_SIZE = 500;
/**
 * Rows are kept for this time because an instant without a row would be started again if a clock were set back to
 * before it.
 */
const RETENTION_MS = 24 * 3_600_000;

/** Deletes started, reported and skipped instants a day after their scheduled time. */
@Injectable()
export class JobInstantPruneTask {
  constructor(
    private readonly instants: JobInstantRepository,
    private readonly clock: Clock,
  ) {}

  @PeriodicTask(CronExpression.EVERY_10_MINUTES, 'jobs.prune_instants')
  async run(signal: AbortSignal): Promise<void> {
    const before = new Date(this.clock.millis() - RETENTION_MS);
    while (!signal.aborted && (await this.instants.prune(before, BATCH_SIZE)) === BATCH_SIZE);
  }
}
