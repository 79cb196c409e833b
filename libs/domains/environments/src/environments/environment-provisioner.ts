import { ProvisioningConfig } from '@app/config';
import { Database } from '@app/database';
import { Clock, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { newWorkerQueue } from '../worker-queues/worker-queue.defaults.js';
import { WorkerQueueRepository } from '../worker-queues/worker-queue.repository.js';
import { DEFAULT_WORKER_QUEUE } from '../worker-queues/worker-queue.types.js';
import { newEnvironment } from './environment.defaults.js';
import { environmentNotFound } from './environment.errors.js';
import { EnvironmentRepository } from './environment.repository.js';
import { DEFAULT_ENVIRONMENT } from './environment.types.js';

/** Creates the environment and the worker queue that every organization has. */
@Injectable()
export class EnvironmentProvisioner {
  constructor(
    private readonly environments: EnvironmentRepository,
    private readonly queues: WorkerQueueRepository,
    private readonly config: ProvisioningConfig,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Creates the environment `default` with the worker queue `default`. Idempotent. */
  async provisionDefaults(scope: Scope): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async () => {
      await this.environments.insertIfMissing(scope, newEnvironment({ name: DEFAULT_ENVIRONMENT }, null, now));
      const environment = await this.environments.lock(scope, DEFAULT_ENVIRONMENT);
      if (environment === undefined) throw environmentNotFound();
      const fields = { name: DEFAULT_WORKER_QUEUE, heartbeat_interval: this.config.heartbeatSeconds };
      const queue = newWorkerQueue(environment.id, fields, null, now);
      await this.queues.insertIfMissing(scope, queue);
    });
  }
}
