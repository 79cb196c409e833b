import { Database, isUniqueViolation } from '@app/database';
import type { Listed, Page, Patch, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { isNamedEnvironment } from '../environments/named-environment.sql.js';
import { isLive } from '../workers/worker-liveness.js';
import { WorkerQueueEntity } from './worker-queue.entity.js';
import { workerQueueNameTaken } from './worker-queue.errors.js';
import type {
  NewWorkerQueue,
  QueuePlace,
  StoredWorkerQueue,
  WorkerQueue,
  WorkerQueueFields,
  WorkerQueueFilter,
} from './worker-queue.types.js';

/** `$1` is the present time. */
const LIVE_WORKERS = `(SELECT count(*)::int FROM workers w WHERE w.worker_queue_id = q.id AND ${isLive('$1')})`;

const FILTER = `organization_id = $2 AND ($3::text IS NULL OR environment_id = $3) AND ($4::text IS NULL OR status = $4)`;

const LIST_SQL = `
  SELECT q.*, ${LIVE_WORKERS} AS active_workers FROM (
    SELECT * FROM worker_queues WHERE ${FILTER} ORDER BY created_at DESC, id DESC LIMIT $5 OFFSET $6
  ) q
  ORDER BY q.created_at DESC, q.id DESC`;

const COUNT_SQL = `
  SELECT count(*)::int AS total FROM worker_queues
  WHERE organization_id = $1 AND ($2::text IS NULL OR environment_id = $2) AND ($3::text IS NULL OR status = $3)`;

const PLACES_SQL = `
  SELECT q.id, q.name, q.status, q.environment_id, e.name AS environment_name, ${LIVE_WORKERS} AS live_workers
  FROM worker_queues q JOIN environments e ON e.id = q.environment_id
  WHERE q.organization_id = $2`;

/** Read after the lock was waited for, so that it counts the workers whoever had the lock before has added. */
const LOCKED_SQL = `
  SELECT q.*, e.name AS environment_name, ${LIVE_WORKERS} AS active_workers
  FROM worker_queues q JOIN environments e ON e.id = q.environment_id
  WHERE q.organization_id = $2 AND q.id = $3`;

export interface LockedWorkerQueue extends WorkerQueue {
  readonly environment_name: string;
}

@Injectable()
export class WorkerQueueRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, queue: NewWorkerQueue): Promise<StoredWorkerQueue> {
    const row = { ...queue, organization_id: scope.organizationId };
    try {
      await this.database.insert(WorkerQueueEntity, row);
    } catch (error) {
      throw isNameTaken(error) ? workerQueueNameTaken(queue.name) : error;
    }
    return row;
  }

  /** Does nothing where the environment has a queue of that name. */
  async insertIfMissing(scope: Scope, queue: NewWorkerQueue): Promise<void> {
    await this.database.insertIfMissing(WorkerQueueEntity, { ...queue, organization_id: scope.organizationId });
  }

  async list(scope: Scope, filter: WorkerQueueFilter, page: Page, now: Date): Promise<Listed<WorkerQueue>> {
    const filtered = [scope.organizationId, filter.environment_id ?? null, filter.status ?? null];
    const [items, counted] = await Promise.all([
      this.database.page<WorkerQueue>(page, LIST_SQL, [now, ...filtered, page.limit, page.skip]),
      this.database.sql<{ total: number }>(COUNT_SQL, filtered),
    ]);
    return { items, total: counted[0]?.total ?? 0 };
  }

  async find(scope: Scope, id: string, now: Date): Promise<WorkerQueue | undefined> {
    const [queue] = await this.database.sql<WorkerQueue>(
      `SELECT q.*, ${LIVE_WORKERS} AS active_workers FROM worker_queues q WHERE q.organization_id = $2 AND q.id = $3`,
      [now, scope.organizationId, id],
    );
    return queue;
  }

  async existsIn(scope: Scope, environmentId: string): Promise<boolean> {
    return this.database
      .repository(WorkerQueueEntity)
      .existsBy({ organization_id: scope.organizationId, environment_id: environmentId });
  }

  /** Those of the ids that name a queue, of any organisation. */
  async findExisting(ids: readonly string[]): Promise<string[]> {
    const sql = 'SELECT id FROM worker_queues WHERE id = ANY($1)';
    return (await this.database.sql<{ id: string }>(sql, [ids])).map(({ id }) => id);
  }

  /** The queue of this id, or else those of this name, of which several environments may have one; the oldest first. */
  async findPlacesNamed(scope: Scope, idOrName: string, now: Date): Promise<QueuePlace[]> {
    const sql = `${PLACES_SQL} AND (q.id = $3 OR q.name = $3) ORDER BY q.id = $3 DESC, q.created_at, q.id`;
    const values = [now, scope.organizationId, idOrName];
    const places = await this.database.prepared<QueuePlace>('worker_queues.named', sql, values);
    return places[0]?.id === idOrName ? places.slice(0, 1) : places;
  }

  /** Queues that hand out work, in the environments of these ids or names, oldest first. */
  async findActivePlacesIn(scope: Scope, idsOrNames: readonly string[], now: Date): Promise<QueuePlace[]> {
    if (idsOrNames.length === 0) return [];
    const sql = `${PLACES_SQL} AND q.status = 'active' AND ${isNamedEnvironment('e', '$3')}
      ORDER BY q.created_at, q.id`;
    const values = [now, scope.organizationId, idsOrNames];
    return this.database.prepared<QueuePlace>('worker_queues.active_in', sql, values);
  }

  /**
   * Held until the transaction ends. Whoever counts a queue's workers in order to add one, or to delete the queue,
   * takes this lock first, so that two of them never count at the same time.
   */
  async lock(scope: Scope, id: string, now: Date): Promise<LockedWorkerQueue | undefined> {
    const [locked] = await this.database.sql<{ id: string }>(
      'SELECT id FROM worker_queues WHERE organization_id = $1 AND id = $2 FOR UPDATE',
      [scope.organizationId, id],
    );
    if (locked === undefined) return undefined;
    const [queue] = await this.database.sql<LockedWorkerQueue>(LOCKED_SQL, [now, scope.organizationId, id]);
    return queue;
  }

  async update(
    scope: Scope,
    id: string,
    changes: Patch<WorkerQueueFields> & { readonly updated_at: Date },
  ): Promise<boolean> {
    try {
      const where = { id, organization_id: scope.organizationId };
      return (await this.database.update(WorkerQueueEntity, where, changes)) !== undefined;
    } catch (error) {
      throw isNameTaken(error) ? workerQueueNameTaken(changes.name ?? '') : error;
    }
  }

  async delete(scope: Scope, id: string): Promise<void> {
    await this.database.repository(WorkerQueueEntity).delete({ id, organization_id: scope.organizationId });
  }
}

function isNameTaken(error: unknown): boolean {
  return isUniqueViolation(error, 'uq_worker_queues_environment_id_name');
}
