import { PeriodicTask } from '@app/dispatch';
import { WorkerService } from '@app/environments';
import { QueueLoadService } from '@app/executions';
import { Injectable } from '@nestjs/common';
import { QueueSampleRepository } from './queue-sample.repository.js';
import { SAMPLE_SECONDS } from './queue-sample.sql.js';
import type { CurrentLoad } from './queue-sample.types.js';
import { KEPT_DAYS } from './queue-series.service.js';

const PRUNE_BATCH = 1000;

/** Samples the load of all queues, and deletes old samples. Several dispatchers store one sample. */
@Injectable()
export class QueueSamplingTask {
  constructor(
    private readonly executions: QueueLoadService,
    private readonly workers: WorkerService,
    private readonly samples: QueueSampleRepository,
  ) {}

  @PeriodicTask(`*/${SAMPLE_SECONDS} * * * * *`, 'worker_queues.sample')
  async run(signal: AbortSignal): Promise<void> {
    await this.samples.insert(await this.loads());
    while (!signal.aborted && (await this.samples.prune(KEPT_DAYS, PRUNE_BATCH)) === PRUNE_BATCH);
  }

  private async loads(): Promise<CurrentLoad[]> {
    const [activity, live] = await Promise.all([this.executions.activity(), this.workers.countLive()]);
    const loads = new Map<string, CurrentLoad>();
    for (const { queue_id, ...load } of activity)
      loads.set(queue_id, { ...load, worker_queue_id: queue_id, workers: 0 });
    for (const { organization_id, queue_id, workers } of live) {
      const idle = { organization_id, worker_queue_id: queue_id, waiting: 0, oldest_waiting_at: null, running: 0 };
      loads.set(queue_id, { ...(loads.get(queue_id) ?? idle), workers });
    }
    return [...loads.values()];
  }
}
