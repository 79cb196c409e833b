import { Database, EntityUses } from '@app/database';
import { Clock, type Caller, type NameFilter, type PageResult, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { environmentNotFound } from '../environments/environment.errors.js';
import { EnvironmentRepository } from '../environments/environment.repository.js';
import { WorkerQueueAnnouncer } from './worker-queue-announcer.js';
import { newWorkerQueue } from './worker-queue.defaults.js';
import {
  workerQueueHasWork,
  workerQueueHasWorkers,
  workerQueueInUse,
  workerQueueNotFound,
} from './worker-queue.errors.js';
import { WorkerQueueRepository } from './worker-queue.repository.js';
import type { CreateWorkerQueue, UpdateWorkerQueue, WorkerQueue, WorkerQueueFilter } from './worker-queue.types.js';

@Injectable()
export class WorkerQueueService {
  constructor(
    private readonly queues: WorkerQueueRepository,
    private readonly environments: EnvironmentRepository,
    private readonly announcer: WorkerQueueAnnouncer,
    private readonly uses: EntityUses,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async create(caller: Caller, environmentIdOrName: string, request: CreateWorkerQueue): Promise<WorkerQueue> {
    return this.database.transaction(async () => {
      const environment = await this.environments.lock(caller, environmentIdOrName);
      if (environment === undefined) throw environmentNotFound();
      const queue = newWorkerQueue(environment.id, request, caller.userId, this.clock.now());
      return { ...(await this.queues.insert(caller, queue)), active_workers: 0 };
    });
  }

  async list(scope: Scope, filter: WorkerQueueFilter, page: Page): Promise<PageResult<WorkerQueue>> {
    return this.queues.list(scope, filter, page);
  }

  async listIn(
    scope: Scope,
    environmentIdOrName: string,
    page: Page,
    filter: NameFilter = {},
  ): Promise<PageResult<WorkerQueue>> {
    const environment = await this.environments.find(scope, environmentIdOrName);
    if (environment === undefined) throw environmentNotFound();
    return this.queues.list(scope, { ...filter, environment_id: environment.id }, page);
  }

  async read(scope: Scope, id: string): Promise<WorkerQueue> {
    const queue = await this.find(scope, id);
    if (queue === undefined) throw workerQueueNotFound();
    return queue;
  }

  async find(scope: Scope, id: string): Promise<WorkerQueue | undefined> {
    return this.queues.find(scope, id);
  }

  /** Returns those of the ids that exist, across organizations; for reconciliation only. */
  async filterExisting(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(await this.queues.findExisting(ids));
  }

  async update(scope: Scope, id: string, { description, ...changes }: UpdateWorkerQueue): Promise<WorkerQueue> {
    const cleared = description === undefined ? {} : { description: description ?? '' };
    const updated = await this.queues.update(scope, id, { ...changes, ...cleared, updated_at: this.clock.now() });
    if (!updated) throw workerQueueNotFound();
    this.announcer.changed(id);
    if (changes.status === 'active') this.announcer.activated(id);
    return this.read(scope, id);
  }

  /**
   * Deletes a queue that has neither live workers nor unfinished executions and that nothing names; otherwise throws a
   * conflict. `countOpen` returns the number of unfinished executions in the queue, which libs/domains/executions knows. The
   * start of an execution does not lock the queue: if it commits after the count, reconciliation marks the execution as
   * failed.
   */
  async delete(scope: Scope, id: string, countOpen: () => Promise<number>): Promise<void> {
    await this.database.transaction(async () => {
      const queue = await this.queues.lock(scope, id);
      if (queue === undefined) throw workerQueueNotFound();
      if (queue.active_workers > 0) throw workerQueueHasWorkers(queue.active_workers);
      const unfinished = await countOpen();
      if (unfinished > 0) throw workerQueueHasWork(unfinished);
      await this.checkUnused(scope, queue);
      await this.queues.delete(scope, id);
      await this.announcer.deleted(id);
    });
  }

  private async checkUnused(scope: Scope, { id, name }: WorkerQueue): Promise<void> {
    const named = await this.queues.findRoutedNamed(scope, name);
    // A name of several queues is ambiguous and does not refer to this one.
    const used = await this.uses.describe(scope, 'worker_queue', named.length === 1 ? [id, name] : [id]);
    if (used !== undefined) throw workerQueueInUse(name, used);
  }
}
