import { EnvironmentService, WorkerService, type WorkerQueue } from '@app/environments';
import { QueueLoadService } from '@app/executions';
import type { PageResult, Scope } from '@app/kernel';
import { mapPage } from '@app/http';
import { Injectable } from '@nestjs/common';
import type { QueueLoadResponse } from './dto/queue-load.dto.js';
import { toQueueLoadResponse } from './queue-load.mapper.js';

/** Adds the executions, the workers and the environment of each queue, with one look-up each. */
@Injectable()
export class QueueLoadPresenter {
  constructor(
    private readonly executions: QueueLoadService,
    private readonly workers: WorkerService,
    private readonly environments: EnvironmentService,
  ) {}

  async page(scope: Scope, queues: PageResult<WorkerQueue>): Promise<PageResult<QueueLoadResponse>> {
    const ids = queues.items.map(({ id }) => id);
    const environmentIds = [...new Set(queues.items.map(({ environment_id }) => environment_id))];
    const [loads, workers, environments] = await Promise.all([
      this.executions.loadsIn(scope, ids),
      this.workers.countsByQueue(scope, ids),
      this.environments.summaries(scope, environmentIds),
    ]);
    return mapPage(queues, (queue) => toQueueLoadResponse(queue, { loads, workers, environments }));
  }
}
