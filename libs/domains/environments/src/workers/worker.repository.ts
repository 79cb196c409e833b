import { columnsOf, Database, DATABASE_NOW } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Not, type FindOptionsWhere, type QueryDeepPartialEntity, type SelectQueryBuilder } from 'typeorm';
import { EnvironmentEntity } from '../environments/environment.entity.js';
import { RunnerRepository } from '../runners/runner.repository.js';
import { WorkerQueueEntity } from '../worker-queues/worker-queue.entity.js';
import { statusAsRead } from './worker-liveness.sql.js';
import { WorkerEntity } from './worker.entity.js';
import {
  COUNT_LIVE_WORKERS,
  COUNT_WORKERS_BY_RUNNER,
  COUNT_WORKERS_BY_STATUS,
  COUNT_WORKERS_IN_QUEUES,
  FIND_POLLING_WORKER,
  LIST_OFFERED_RUNTIMES,
  MARK_DORMANT,
  PRUNE_WORKERS,
  RECORD_HEARTBEAT,
} from './worker.sql.js';
import type {
  DisconnectedWorker,
  Heartbeat,
  HeartbeatResult,
  LiveWorkers,
  PollingWorker,
  QueueWorkerCount,
  RunnerWorkers,
  StartWorker,
  Worker,
  WorkerFilter,
  WorkerStatus,
} from './worker.types.js';

export type Disconnection = Omit<DisconnectedWorker, 'worker_id'>;

const STATUS = statusAsRead('worker', 'queue');

/** The columns that are returned as stored. */
const SHOWN = columnsOf(WorkerEntity, 'status', 'dormant');

@Injectable()
export class WorkerRepository {
  constructor(
    private readonly database: Database,
    private readonly runners: RunnerRepository,
  ) {}

  /** Stores a worker that starts, and its start in the runner that it names. Must be called in a transaction. */
  async insertStarted(
    scope: Scope,
    id: string,
    queueId: string,
    worker: StartWorker & { readonly runner_name: string | null },
    now: Date,
  ): Promise<void> {
    const query = this.database.repository(WorkerEntity).createQueryBuilder().insert();
    const row = {
      id,
      organization_id: scope.organizationId,
      worker_queue_id: queueId,
      status: 'active',
      hostname: worker.hostname ?? null,
      runner_name: worker.runner_name,
      worker_metadata: worker.worker_metadata ?? {},
      runtimes: listOf(worker.runtimes),
      skills: listOf(worker.skills),
      last_heartbeat_at: () => DATABASE_NOW,
      dormant: false,
      disconnected_at: null,
      reason: null,
      exit_code: null,
      error_message: null,
      created_at: now,
      updated_at: now,
    } satisfies { [Column in keyof WorkerEntity]: WorkerEntity[Column] | (() => string) };
    await query.values(row as QueryDeepPartialEntity<WorkerEntity>).execute();
    if (worker.runner_name !== null) await this.runners.recordStart(scope, worker.runner_name, now);
  }

  /** Newest first. Queues and environments are read only for the page, and for the count only if it is by status. */
  async list(scope: Scope, filter: WorkerFilter, page: Page): Promise<PageResult<Worker>> {
    const { status, worker_queue_id, runner_name } = filter;
    const where = withoutUndefined({ worker_queue_id, runner_name });
    const query = this.workers(scope, where).orderBy('worker.created_at', 'DESC');
    if (status !== undefined) {
      query.andWhere(`${STATUS} = :status`, { status });
      return this.database.listPage<WorkerEntity, Worker>(query, page);
    }
    const counted = this.database.select(WorkerEntity, 'worker', { ...where, organization_id: scope.organizationId });
    return this.database.listPage<WorkerEntity, Worker>(query, page, () => this.database.count(counted));
  }

  async find(scope: Scope, id: string): Promise<Worker | undefined> {
    const query = this.workers(scope).andWhere('worker.id = :id', { id });
    const [worker] = await this.database.rows<WorkerEntity, Worker>(query);
    return worker;
  }

  /**
   * Returns the `RunnerWorkers` of each runner, by the name of the runner. Runners without workers have no entry.
   */
  async countsByRunner(
    { organizationId }: Scope,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, RunnerWorkers>> {
    if (names.length === 0) return new Map();
    const values = [organizationId, names];
    const rows = await this.database.sql<RunnerWorkers & { readonly runner_name: string }>(
      COUNT_WORKERS_BY_RUNNER,
      values,
    );
    return new Map(rows.map(({ runner_name: name, ...counts }) => [name, counts]));
  }

  /** Returns undefined if there is no such worker or it is disconnected. */
  async recordHeartbeat(
    { organizationId }: Scope,
    id: string,
    { status, worker_metadata, runtimes, skills }: Heartbeat,
  ): Promise<HeartbeatResult | undefined> {
    const metadata = worker_metadata === undefined ? null : JSON.stringify(worker_metadata);
    const values = [organizationId, id, status ?? null, metadata, listOf(runtimes), listOf(skills)];
    const [taken] = await this.database.prepared<HeartbeatResult>(RECORD_HEARTBEAT, values);
    return taken;
  }

  async findPolling({ organizationId }: Scope, id: string): Promise<PollingWorker | undefined> {
    const [worker] = await this.database.shared<PollingWorker>(FIND_POLLING_WORKER, [organizationId, id]);
    return worker;
  }

  /** Returns the stored disconnection; undefined if there is no such worker or it was disconnected before. */
  async disconnect(
    { organizationId }: Scope,
    id: string,
    disconnection: Disconnection,
  ): Promise<Disconnection | undefined> {
    const connected = { id, organization_id: organizationId, status: Not('disconnected' as const) };
    const changes = { ...disconnection, status: 'disconnected' as const, updated_at: disconnection.disconnected_at };
    const worker = await this.database.update(WorkerEntity, connected, changes);
    return worker === undefined ? undefined : disconnection;
  }

  /** Returns the numbers of connected workers of the queues, by status. */
  async countInQueues({ organizationId }: Scope, queueIds: readonly string[]): Promise<QueueWorkerCount[]> {
    return this.database.sql<QueueWorkerCount>(COUNT_WORKERS_IN_QUEUES, [organizationId, queueIds]);
  }

  /** Returns the number of live workers of each queue that has any. */
  async countLive(): Promise<LiveWorkers[]> {
    return this.database.sql<LiveWorkers>(COUNT_LIVE_WORKERS);
  }

  /**
   * Returns the ids of the runtimes that live workers declare, of one queue or of all, each once and in alphabetical
   * order.
   */
  async runtimesOffered({ organizationId }: Scope, queueId: string | null = null): Promise<readonly string[]> {
    const rows = await this.database.sql<{ runtime: string }>(LIST_OFFERED_RUNTIMES, [organizationId, queueId]);
    return rows.map(({ runtime }) => runtime);
  }

  /** Returns the number of workers of all organizations by status, without disconnected and dormant ones. */
  async countByStatus(): Promise<ReadonlyMap<WorkerStatus, number>> {
    const rows = await this.database.sql<{ status: WorkerStatus; workers: number }>(COUNT_WORKERS_BY_STATUS);
    return new Map(rows.map(({ status, workers }) => [status, workers]));
  }

  /** Marks up to `limit` stale workers of all organizations as dormant. Returns their number. */
  async markDormant(limit: number): Promise<number> {
    return (await this.database.sql(MARK_DORMANT, [limit])).length;
  }

  /**
   * Deletes up to `limit` workers of all organizations that have been disconnected or stale for a number of days.
   * Returns their number.
   */
  async prune(days: number, limit: number): Promise<number> {
    return (await this.database.sql(PRUNE_WORKERS, [days, limit])).length;
  }

  /** Returns a query for workers as clients see them, with their queue and environment. */
  private workers(
    { organizationId }: Scope,
    where: FindOptionsWhere<WorkerEntity> = {},
  ): SelectQueryBuilder<WorkerEntity> {
    return this.database
      .select(WorkerEntity, 'worker', { ...where, organization_id: organizationId })
      .innerJoin(WorkerQueueEntity, 'queue', 'queue.id = worker.worker_queue_id')
      .innerJoin(EnvironmentEntity, 'environment', 'environment.id = queue.environment_id')
      .select(SHOWN.map((column) => `worker.${column}`))
      .addSelect('queue.name', 'queue_name')
      .addSelect('queue.environment_id', 'environment_id')
      .addSelect('environment.name', 'environment_name')
      .addSelect(STATUS, 'status');
  }
}

/** Returns the items without duplicates. */
function listOf(items: readonly string[] | null | undefined): string[] | null {
  return items == null ? null : [...new Set(items)];
}
