import { RetentionConfig } from '@app/config';
import { PeriodicTask } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { WorkerRepository } from './worker.repository.js';

const BATCH_SIZE = 500;

/** Removes stale workers from the index of live ones, and deletes workers after their retention. */
@Injectable()
export class WorkerRetentionTask {
  constructor(
    private readonly workers: WorkerRepository,
    private readonly config: RetentionConfig,
  ) {}

  @PeriodicTask(CronExpression.EVERY_MINUTE, 'workers.prune')
  async run(signal: AbortSignal): Promise<void> {
    const { workerDays } = this.config;
    while (!signal.aborted && (await this.workers.markDormant(BATCH_SIZE)) === BATCH_SIZE);
    if (workerDays === 0) return;
    while (!signal.aborted && (await this.workers.prune(workerDays, BATCH_SIZE)) === BATCH_SIZE);
  }
}
