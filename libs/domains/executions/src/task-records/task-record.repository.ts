import { Database } from '@app/database';
import type { JsonObject, Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionRecordEntity } from './execution-record.entity.js';
import { TaskRecordEntity } from './task-record.entity.js';
import { SAVE_EXECUTION_RECORDS, SAVE_TASK_RECORDS, WRITTEN_FIELDS } from './task-record.sql.js';
import type {
  RecordKind,
  SaveTaskRecord,
  StoredExecutionRecord,
  TaskRecord,
  TaskRecordFields,
} from './task-record.types.js';

export interface TaskWrite extends SaveTaskRecord {
  /** Id of a new record. */
  readonly id: string;
  readonly task_id: string;
}

@Injectable()
export class TaskRecordRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts records, or updates the given fields of existing records of these tasks. The tasks are distinct. The caller
   * must have locked the execution.
   */
  async save(
    { organizationId }: Scope,
    executionId: string,
    tasks: readonly TaskWrite[],
    now: Date,
  ): Promise<readonly TaskRecord[]> {
    if (tasks.length === 0) return [];
    const fields = Object.keys(WRITTEN_FIELDS) as (keyof typeof WRITTEN_FIELDS)[];
    const columns = fields.map((field) => tasks.map((task) => toElement(task[field])));
    return this.database.prepared<TaskRecord>(SAVE_TASK_RECORDS, [organizationId, executionId, ...columns, now]);
  }

  /** Returns the record with this id, otherwise the newest record of a task with this id. */
  async find({ organizationId }: Scope, idOrTaskId: string): Promise<TaskRecord | undefined> {
    const query = this.database
      .select(TaskRecordEntity, 'task', { organization_id: organizationId })
      .andWhere('(task.id = :idOrTaskId OR task.task_id = :idOrTaskId)', { idOrTaskId })
      .orderBy('task.id = :idOrTaskId', 'DESC')
      .addOrderBy('task.created_at', 'DESC')
      .limit(1);
    return (await query.getOne()) ?? undefined;
  }

  async update(
    { organizationId }: Scope,
    id: string,
    fields: TaskRecordFields & { readonly updated_at: Date },
  ): Promise<TaskRecord | undefined> {
    return this.database.update(TaskRecordEntity, { id, organization_id: organizationId }, fields);
  }

  /** Ordered by task number (records without one last), then by creation. */
  async list({ organizationId }: Scope, executionId: string, page: Page): Promise<PageResult<TaskRecord>> {
    const query = this.database
      .select(TaskRecordEntity, 'task', { organization_id: organizationId, execution_id: executionId })
      .orderBy('task.task_number', 'ASC', 'NULLS LAST')
      .addOrderBy('task.created_at')
      .addOrderBy('task.id');
    return this.database.listPage(query, page);
  }

  /** Ordered by the time at which they were first saved. */
  async listRecords(
    { organizationId }: Scope,
    executionId: string,
    kind: RecordKind,
    page: Page,
  ): Promise<PageResult<StoredExecutionRecord>> {
    const where = { organization_id: organizationId, execution_id: executionId, kind };
    const query = this.database.select(ExecutionRecordEntity, 'record', where).orderBy('record.created_at', 'ASC');
    return this.database.listPage(query, page);
  }

  /** Inserts records; a record with a known id is replaced. */
  async saveRecords(
    { organizationId }: Scope,
    executionId: string,
    kind: RecordKind,
    records: ReadonlyMap<string, JsonObject>,
    now: Date,
  ): Promise<void> {
    if (records.size === 0) return;
    const texts = [...records.values()].map((record) => JSON.stringify(record));
    const values = [organizationId, executionId, kind, [...records.keys()], texts, now];
    await this.database.sql(SAVE_EXECUTION_RECORDS, values);
  }
}

function toElement(value: TaskWrite[keyof TaskWrite]): unknown {
  if (value === undefined) return null;
  return typeof value === 'object' && value !== null && !(value instanceof Date) ? JSON.stringify(value) : value;
}
