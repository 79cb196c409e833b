import { EnvironmentService, WorkerService, type WorkerQueue } from '@app/environments';
import { QueueLoadService } from '@app/executions';
import { mapPageAsync } from '@app/http';
import type { PageResult, Scope } from '@app/kernel';
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

  async page(scope: Scope, listed: PageResult<WorkerQueue>): Promise<PageResult<QueueLoadResponse>> {
    return mapPageAsync(listed, (queues) => this.many(scope, queues));
  }

  private async many(scope: Scope, queues: readonly WorkerQueue[]): Promise<QueueLoadResponse[]> {
    const ids = queues.map(({ id }) => id);
    const environmentIds = [...new Set(queues.map(({ environment_id }) => environment_id))];
    const [loads, workers, environments] = await Promise.all([
      this.executions.loadsIn(scope, ids),
      this.workers.countsByQueue(scope, ids),
      this.environments.summaries(scope, environmentIds),
    ]);
    return queues.map((queue) => toQueueLoadResponse(queue, { loads, workers, environments }));
  }
}
