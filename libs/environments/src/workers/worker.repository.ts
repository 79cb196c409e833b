import { Database } from '@app/database';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { WorkerEntity } from './worker.entity.js';
import { statusAsRead } from './worker-liveness.js';
import type {
  DisconnectedWorker,
  Heartbeat,
  HeartbeatTaken,
  PollingWorker,
  StartWorker,
  Worker,
  WorkerFilter,
} from './worker.types.js';

export type Disconnection = Omit<DisconnectedWorker, 'worker_id'>;

/** `$1` is the present time. */
const WORKER = `
  w.id, w.organization_id, w.worker_queue_id, q.name AS queue_name, q.environment_id, e.name AS environment_name,
  ${statusAsRead('$1')} AS status, w.hostname, w.worker_metadata, w.last_heartbeat_at, w.disconnected_at, w.reason,
  w.exit_code, w.error_message, w.created_at, w.updated_at`;

/** `$2` is the organisation. */
const WORKERS = `
  workers w JOIN worker_queues q ON q.id = w.worker_queue_id JOIN environments e ON e.id = q.environment_id
  WHERE w.organization_id = $2`;

const FILTER = `($3::text IS NULL OR w.worker_queue_id = $3) AND ($4::text IS NULL OR ${statusAsRead('$1')} = $4)`;

const HEARTBEAT_SQL = `
  UPDATE workers w SET last_heartbeat_at = $1, updated_at = $1, status = coalesce($4, w.status),
    worker_metadata = coalesce($5::json, w.worker_metadata)
  FROM worker_queues q
  WHERE w.organization_id = $2 AND w.id = $3 AND w.status <> 'disconnected' AND q.id = w.worker_queue_id
  RETURNING w.id AS worker_id, w.worker_queue_id, w.status, w.last_heartbeat_at, q.heartbeat_interval`;

const POLLING_SQL = `
  SELECT w.id AS worker_id, w.status AS worker_status, w.worker_queue_id, q.status AS queue_status,
    q.heartbeat_interval, q.environment_id
  FROM workers w JOIN worker_queues q ON q.id = w.worker_queue_id
  WHERE w.organization_id = $1 AND w.id = $2`;

const DISCONNECT_SQL = `
  UPDATE workers SET status = 'disconnected', disconnected_at = $3, updated_at = $3, reason = $4, exit_code = $5,
    error_message = $6
  WHERE organization_id = $1 AND id = $2 AND status <> 'disconnected'
  RETURNING reason, exit_code, error_message, disconnected_at`;

@Injectable()
export class WorkerRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, id: string, queueId: string, worker: StartWorker, now: Date): Promise<void> {
    await this.database.insert(WorkerEntity, {
      id,
      organization_id: scope.organizationId,
      worker_queue_id: queueId,
      status: 'active',
      hostname: worker.hostname ?? null,
      worker_metadata: worker.worker_metadata ?? {},
      last_heartbeat_at: now,
      disconnected_at: null,
      reason: null,
      exit_code: null,
      error_message: null,
      created_at: now,
      updated_at: now,
    });
  }

  async list(scope: Scope, filter: WorkerFilter, page: Page, now: Date): Promise<Listed<Worker>> {
    return this.database.list<Worker>(page, {
      columns: WORKER,
      from: `${WORKERS} AND ${FILTER}`,
      order: 'w.created_at DESC, w.id DESC',
      values: [now, scope.organizationId, filter.worker_queue_id ?? null, filter.status ?? null],
    });
  }

  async find(scope: Scope, id: string, now: Date): Promise<Worker | undefined> {
    const sql = `SELECT ${WORKER} FROM ${WORKERS} AND w.id = $3`;
    const [worker] = await this.database.sql<Worker>(sql, [now, scope.organizationId, id]);
    return worker;
  }

  /** Undefined when there is no such worker, or it is disconnected. */
  async recordHeartbeat(
    scope: Scope,
    id: string,
    heartbeat: Heartbeat,
    now: Date,
  ): Promise<HeartbeatTaken | undefined> {
    const { status = null, worker_metadata: metadata } = heartbeat;
    const values = [now, scope.organizationId, id, status, metadata === undefined ? null : JSON.stringify(metadata)];
    const [taken] = await this.database.prepared<HeartbeatTaken>('workers.heartbeat', HEARTBEAT_SQL, values);
    return taken;
  }

  async findPolling(scope: Scope, id: string): Promise<PollingWorker | undefined> {
    const values = [scope.organizationId, id];
    const [worker] = await this.database.prepared<PollingWorker>('workers.polling', POLLING_SQL, values);
    return worker;
  }

  /** Undefined when there is no such worker, or it was disconnected before. */
  async disconnect(
    scope: Scope,
    id: string,
    { disconnected_at, reason, exit_code, error_message }: Disconnection,
  ): Promise<Disconnection | undefined> {
    const values = [scope.organizationId, id, disconnected_at, reason, exit_code, error_message];
    const [recorded] = await this.database.sql<Disconnection>(DISCONNECT_SQL, values);
    return recorded;
  }
}
