import { PeriodicTask } from '@app/dispatch';
import { WorkerQueueService } from '@app/environments';
import { OrphanedWorkService } from '@app/executions';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';

/**
 * Marks as failed the executions whose worker queue was deleted. The task belongs to this lib because it combines two
 * domains: waiting executions and worker queues.
 */
@Injectable()
export class OrphanedWorkTask {
  constructor(
    private readonly work: OrphanedWorkService,
    private readonly queues: WorkerQueueService,
  ) {}

  @PeriodicTask(CronExpression.EVERY_5_SECONDS, 'worker_queues.orphaned_work')
  async run(signal: AbortSignal): Promise<void> {
    await this.work.failOrphaned((queueIds) => this.queues.filterExisting(queueIds), signal);
  }
}
