import { PeriodicTasks } from '@app/dispatch';
import { WorkerQueueService } from '@app/environments';
import { OrphanedWorkService } from '@app/executions';
import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';

/**
 * Marks as failed the executions whose worker queue was deleted. The task belongs to this lib because it combines two
 * domains: waiting executions and worker queues.
 */
@Injectable()
export class OrphanedWorkTask {
  constructor(
    private readonly work: OrphanedWorkService,
    private readonly queues: WorkerQueueService,
    private readonly tasks: PeriodicTasks,
  ) {}

  @Cron(CronExpression.EVERY_5_SECONDS, { name: 'worker_queues.orphaned_work', waitForCompletion: true })
  async schedule(): Promise<void> {
    await this.tasks.run('worker_queues.orphaned_work', (signal) =>
      this.work.failOrphaned((queueIds) => this.queues.filterExisting(queueIds), signal),
    );
  }
}
