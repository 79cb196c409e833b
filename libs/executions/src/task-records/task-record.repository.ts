import { Database } from '@app/database';
import type { JsonObject, Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { TaskRecordEntity } from './task-record.entity.js';
import type { RecordKind, SaveTaskRecord, TaskRecord, TaskRecordFields } from './task-record.types.js';

const TASK = `id, execution_id, task_id, task_number, task_description, task_type, status, started_at, completed_at,
  duration_ms, result, error_message, metadata, created_at, updated_at`;

export interface TaskWrite extends SaveTaskRecord {
  readonly id: string;
  readonly execution_id: string;
  readonly task_id: string;
  readonly now: Date;
}

@Injectable()
export class TaskRecordRepository {
  constructor(private readonly database: Database) {}

  /** A new record, or the present one of this task with what is given written over it. */
  async save(scope: Scope, task: TaskWrite): Promise<TaskRecord> {
    const [row] = await this.database.prepared<TaskRecord>('task_record.save', SAVE, [
      ...[scope.organizationId, task.execution_id, task.task_id, task.id, task.task_number ?? null],
      ...[task.task_description ?? null, task.task_type ?? null, task.status ?? null, task.started_at ?? null],
      ...[task.completed_at ?? null, task.duration_ms ?? null, task.result ?? null, task.error_message ?? null],
      ...[task.metadata === undefined ? null : JSON.stringify(task.metadata), task.now],
    ]);
    if (row === undefined) throw new Error('The task record was not written');
    return row;
  }

  /** By the record's own id, or else the newest with the worker's task id. */
  async find(scope: Scope, idOrTaskId: string): Promise<TaskRecord | undefined> {
    const [row] = await this.database.sql<TaskRecord>(
      `SELECT ${TASK} FROM task_records WHERE organization_id = $1 AND (id = $2 OR task_id = $2)
       ORDER BY id = $2 DESC, created_at DESC LIMIT 1`,
      [scope.organizationId, idOrTaskId],
    );
    return row;
  }

  async update(
    scope: Scope,
    id: string,
    fields: TaskRecordFields & { readonly updated_at: Date },
  ): Promise<TaskRecord | undefined> {
    return this.database.update(TaskRecordEntity, { id, organization_id: scope.organizationId }, fields);
  }

  /** In the order of their numbers, then of their creation. */
  async list(scope: Scope, executionId: string, page: Page): Promise<Listed<TaskRecord>> {
    return this.database.list<TaskRecord>(page, {
      columns: TASK,
      from: 'task_records WHERE organization_id = $1 AND execution_id = $2',
      order: 'task_number NULLS LAST, created_at, id',
      values: [scope.organizationId, executionId],
    });
  }

  /** The same record again replaces the one before. */
  async saveRecords(
    scope: Scope,
    executionId: string,
    kind: RecordKind,
    records: ReadonlyMap<string, JsonObject>,
    now: Date,
  ): Promise<void> {
    if (records.size === 0) return;
    await this.database.sql(
      `INSERT INTO execution_records (organization_id, execution_id, kind, record_id, record, created_at)
       SELECT $1, $2, $3, id, record, $6 FROM unnest($4::text[], $5::json[]) AS given (id, record)
       ON CONFLICT (organization_id, execution_id, kind, record_id) DO UPDATE SET record = excluded.record`,
      [
        ...[scope.organizationId, executionId, kind, [...records.keys()]],
        ...[[...records.values()].map((record) => JSON.stringify(record)), now],
      ],
    );
  }
}

const SAVE = `
  INSERT INTO task_records AS task (organization_id, execution_id, task_id, id, task_number, task_description, task_type,
    status, started_at, completed_at, duration_ms, result, error_message, metadata, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce($8, 'pending'), $9, $10, $11, $12, $13, coalesce($14::json, '{}'), $15, $15)
  ON CONFLICT (organization_id, execution_id, task_id) DO UPDATE SET
    task_number = coalesce($5, task.task_number), task_description = coalesce($6, task.task_description),
    task_type = coalesce($7, task.task_type), status = coalesce($8, task.status),
    started_at = coalesce($9, task.started_at), completed_at = coalesce($10, task.completed_at),
    duration_ms = coalesce($11, task.duration_ms), result = coalesce($12, task.result),
    error_message = coalesce($13, task.error_message), metadata = coalesce($14::json, task.metadata), updated_at = $15
  RETURNING ${TASK}`;
