import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { environmentNotFound } from '../environments/environment.errors.js';
import { EnvironmentRepository } from '../environments/environment.repository.js';
import { DEFAULT_ENVIRONMENT } from '../environments/environment.types.js';
import { QueueRouter } from '../worker-queues/queue-router.js';
import { noActiveQueue } from '../worker-queues/worker-queue.errors.js';
import { WorkerQueueRepository } from '../worker-queues/worker-queue.repository.js';
import { DEFAULT_WORKER_QUEUE } from '../worker-queues/worker-queue.types.js';
import { WorkerService } from './worker.service.js';
import type { RegisterWorker, StartedWorker } from './worker.types.js';

/** Starts workers that name an environment or a queue name instead of a queue id. */
@Injectable()
export class WorkerRegistrationService {
  constructor(
    private readonly workers: WorkerService,
    private readonly router: QueueRouter,
    private readonly queues: WorkerQueueRepository,
    private readonly environments: EnvironmentRepository,
  ) {}

  async register(scope: Scope, worker: RegisterWorker): Promise<StartedWorker> {
    return this.workers.start(scope, await this.findQueue(scope, worker), worker);
  }

  private async findQueue(scope: Scope, worker: RegisterWorker): Promise<string> {
    const environmentId = await this.findEnvironment(scope, worker);
    const queueName = worker.worker_queue_name;
    if (queueName != null) return (await this.router.findNamed(scope, queueName, environmentId)).id;
    const active = await this.queues.findRoutedActiveIn(scope, [environmentId ?? DEFAULT_ENVIRONMENT]);
    const queue = active.find(({ name }) => name === DEFAULT_WORKER_QUEUE) ?? active[0];
    if (queue === undefined) throw noActiveQueue(`the environment ${describeEnvironment(worker)}`);
    return queue.id;
  }

  /** Returns the id of the requested environment; undefined if the worker names none. */
  private async findEnvironment(scope: Scope, worker: RegisterWorker): Promise<string | undefined> {
    const { worker_token: token, environment_name: name } = worker;
    if (token != null) {
      const id = await this.environments.findIdByWorkerToken(scope, token);
      if (id === undefined) throw environmentNotFound();
      return id;
    }
    if (name == null) return undefined;
    const id = await this.idOf(scope, name);
    if (id === undefined) throw environmentNotFound();
    return id;
  }

  private async idOf(scope: Scope, idOrName: string): Promise<string | undefined> {
    return (await this.environments.findNamed(scope, [idOrName])).get(idOrName)?.id;
  }
}

/** Describes the requested environment for an error message; a token takes precedence over a name. */
function describeEnvironment({ worker_token: token, environment_name: name }: RegisterWorker): string {
  return token == null ? (name ?? DEFAULT_ENVIRONMENT) : 'of the worker_token';
}
