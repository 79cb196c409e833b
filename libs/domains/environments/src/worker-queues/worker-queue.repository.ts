import { Database, rejectDuplicate } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Patch, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Any, type FindOptionsWhere, type SelectQueryBuilder } from 'typeorm';
import { EnvironmentEntity } from '../environments/environment.entity.js';
import { WorkerQueueEntity } from './worker-queue.entity.js';
import { workerQueueNameTaken } from './worker-queue.errors.js';
import {
  FIND_ACTIVE_QUEUES_IN,
  FIND_QUEUES_BY_ID_OR_NAME,
  FIND_QUEUES_WITH_SKILLS,
  liveWorkers,
} from './worker-queue.sql.js';
import type {
  NewWorkerQueue,
  RoutedQueue,
  RunNeeds,
  StoredWorkerQueue,
  WorkerQueue,
  WorkerQueueFields,
  WorkerQueueFilter,
} from './worker-queue.types.js';

const NO_NEEDS: RunNeeds = { runtime: null, runtimes: [], skillHolders: [], environmentIds: [] };
const UNIQUE_NAME = 'uq_worker_queues_environment_id_name';

export interface LockedWorkerQueue extends WorkerQueue {
  readonly environment_name: string;
}

@Injectable()
export class WorkerQueueRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, queue: NewWorkerQueue): Promise<StoredWorkerQueue> {
    const inserted = this.database.insert(WorkerQueueEntity, { ...queue, organization_id: organizationId });
    return rejectDuplicate(inserted, UNIQUE_NAME, () => workerQueueNameTaken(queue.name));
  }

  /** Does nothing if the environment has a queue with this name. */
  async insertIfMissing({ organizationId }: Scope, queue: NewWorkerQueue): Promise<void> {
    await this.database.insertIfMissing(WorkerQueueEntity, { ...queue, organization_id: organizationId });
  }

  /** Newest first. */
  async list(scope: Scope, filter: WorkerQueueFilter, page: Page): Promise<PageResult<WorkerQueue>> {
    const { name, environment_id, status } = filter;
    const where = withoutUndefined({ name, environment_id, status });
    const query = this.queues(scope, where).orderBy('queue.created_at', 'DESC');
    return this.database.listPage<WorkerQueueEntity, WorkerQueue>(query, page);
  }

  async find(scope: Scope, id: string): Promise<WorkerQueue | undefined> {
    const query = this.queues(scope, { id });
    const [queue] = await this.database.rows<WorkerQueueEntity, WorkerQueue>(query);
    return queue;
  }

  /** Returns up to `limit` names of the queues of an environment, in alphabetical order, and their number. */
  async namesIn(
    { organizationId }: Scope,
    environmentId: string,
    limit: number,
  ): Promise<{ readonly names: readonly string[]; readonly total: number }> {
    const where = { organization_id: organizationId, environment_id: environmentId };
    const queues = this.database.repository(WorkerQueueEntity);
    const [found, total] = await queues.findAndCount({
      select: { name: true },
      where,
      order: { name: 'ASC' },
      take: limit,
    });
    return { names: found.map(({ name }) => name), total };
  }

  /** Returns those of the ids that belong to a queue, in any organization. */
  async findExisting(ids: readonly string[]): Promise<string[]> {
    const queues = this.database.repository(WorkerQueueEntity);
    return (await queues.find({ select: { id: true }, where: { id: Any(ids) } })).map(({ id }) => id);
  }

  /** Returns the queue with this id, otherwise the queues with this name in all environments, oldest first. */
  async findRoutedNamed(
    { organizationId }: Scope,
    idOrName: string,
    needs = NO_NEEDS,
  ): Promise<readonly RoutedQueue[]> {
    const values = [organizationId, idOrName, ...runtimesOf(needs)];
    const queues = await this.database.shared<RoutedQueue>(FIND_QUEUES_BY_ID_OR_NAME, values);
    return queues[0]?.id === idOrName ? queues.slice(0, 1) : queues;
  }

  /** Returns the active queues of the environments with these ids or names, oldest first. */
  async findRoutedActiveIn(
    { organizationId }: Scope,
    idsOrNames: readonly string[],
    needs = NO_NEEDS,
  ): Promise<readonly RoutedQueue[]> {
    if (idsOrNames.length === 0) return [];
    const values = [organizationId, idsOrNames, ...runtimesOf(needs)];
    return this.database.shared<RoutedQueue>(FIND_ACTIVE_QUEUES_IN, values);
  }

  /** Returns those of the queues that have a live worker with the runtimes of the run and with all of the skills. */
  async findWithSkills(
    { organizationId }: Scope,
    queueIds: readonly string[],
    needs: RunNeeds,
    skills: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const values = [organizationId, queueIds, needs.runtimes, skills];
    const rows = await this.database.sql<{ queue_id: string }>(FIND_QUEUES_WITH_SKILLS, values);
    return new Set(rows.map(({ queue_id }) => queue_id));
  }

  /**
   * Locks the queue until the transaction ends. Must be acquired before the workers of the queue are counted in order
   * to add a worker or to delete the queue: the count then includes workers that the previous holder of the lock added.
   */
  async lock(scope: Scope, id: string): Promise<LockedWorkerQueue | undefined> {
    const locked = await this.database.lockOne(WorkerQueueEntity, { id, organization_id: scope.organizationId });
    if (locked === undefined) return undefined;
    const query = this.queues(scope, { id })
      .innerJoin(EnvironmentEntity, 'environment', 'environment.id = queue.environment_id')
      .addSelect('environment.name', 'environment_name');
    const [queue] = await this.database.rows<WorkerQueueEntity, LockedWorkerQueue>(query);
    return queue;
  }

  /** Returns false if there is no such queue. */
  async update(
    { organizationId }: Scope,
    id: string,
    changes: Patch<WorkerQueueFields> & { readonly updated_at: Date },
  ): Promise<boolean> {
    const updated = this.database.update(WorkerQueueEntity, { id, organization_id: organizationId }, changes);
    const duplicate = (): Error => workerQueueNameTaken(changes.name ?? '');
    return (await rejectDuplicate(updated, UNIQUE_NAME, duplicate)) !== undefined;
  }

  async delete({ organizationId }: Scope, id: string): Promise<void> {
    await this.database.delete(WorkerQueueEntity, { id, organization_id: organizationId });
  }

  private queues(
    { organizationId }: Scope,
    where: FindOptionsWhere<WorkerQueueEntity>,
  ): SelectQueryBuilder<WorkerQueueEntity> {
    return this.database
      .select(WorkerQueueEntity, 'queue', { ...where, organization_id: organizationId })
      .addSelect(liveWorkers('queue'), 'active_workers');
  }
}

/** Returns the runtimes without which the run cannot begin, and all of its runtimes. */
function runtimesOf({ runtime, runtimes }: RunNeeds): [readonly string[], readonly string[]] {
  return [runtime === null ? [] : [runtime], runtimes];
}
