import { PeriodicTask } from '@app/dispatch';
import { WorkerQueueService } from '@app/environments';
import { StrandedWorkService } from '@app/executions';
import { Injectable } from '@nestjs/common';

/** Executions know what waits in which queue, environments which queues there are. */
@Injectable()
export class StrandedWorkTask extends PeriodicTask {
  override readonly name = 'worker_queues.stranded_work';
  override readonly intervalMs = 5000;

  constructor(
    private readonly work: StrandedWorkService,
    private readonly queues: WorkerQueueService,
  ) {
    super();
  }

  override async run(signal: AbortSignal): Promise<void> {
    await this.work.failStranded((queueIds) => this.queues.existing(queueIds), signal);
  }
}
