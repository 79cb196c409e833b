import { Clock, newId, type JsonObject, type PageResult, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionFence } from '../leases/execution-fence.js';
import { taskNotFound } from '../executions/execution.errors.js';
import { boundedToolCall, toToolCall } from './tool-call.js';
import { TaskRecordRepository, type TaskWrite } from './task-record.repository.js';
import type { AnalyticsBatch, SaveTaskRecord, TaskRecord, TaskRecordFields, ToolCall } from './task-record.types.js';

/** Records that workers report about an execution: tasks, tool calls and turns. */
@Injectable()
export class TaskRecordService {
  constructor(
    private readonly tasks: TaskRecordRepository,
    private readonly fence: ExecutionFence,
    private readonly clock: Clock,
  ) {}

  /** Inserts the record, or updates the one with the same execution and `task_id`. */
  async save(scope: Scope, executionId: string, task: SaveTaskRecord, leaseToken: string | null): Promise<TaskRecord> {
    const [saved] = await this.fence.write(scope, executionId, leaseToken, () =>
      this.tasks.save(scope, executionId, toWrites([task]), this.clock.now()),
    );
    if (saved === undefined) throw new Error('The task record was not written');
    return saved;
  }

  /** `idOrTaskId` is the id of the record, or the worker's `task_id`. */
  async update(
    scope: Scope,
    idOrTaskId: string,
    fields: TaskRecordFields,
    leaseToken: string | null,
  ): Promise<TaskRecord> {
    const task = await this.tasks.find(scope, idOrTaskId);
    if (task === undefined) throw taskNotFound();
    const updated = await this.fence.write(scope, task.execution_id, leaseToken, () =>
      this.tasks.update(scope, task.id, { ...fields, updated_at: this.clock.now() }),
    );
    if (updated === undefined) throw taskNotFound();
    return updated;
  }

  async list(scope: Scope, executionId: string, page: Page): Promise<PageResult<TaskRecord>> {
    const result = await this.tasks.list(scope, executionId, page);
    if (result.items.length === 0) await this.fence.checkExists(scope, executionId);
    return result;
  }

  /** Returns the tool calls of an execution, in the order in which they were first stored. */
  async listToolCalls(scope: Scope, executionId: string, page: Page): Promise<PageResult<ToolCall>> {
    const result = await this.tasks.listRecords(scope, executionId, 'tool_call', page);
    if (result.items.length === 0) await this.fence.checkExists(scope, executionId);
    return { ...result, items: result.items.map(toToolCall) };
  }

  /** Saves all records or none. Records with known ids are replaced. */
  async saveBatch(scope: Scope, executionId: string, batch: AnalyticsBatch, leaseToken: string | null): Promise<void> {
    const now = this.clock.now();
    await this.fence.write(scope, executionId, leaseToken, async () => {
      await this.tasks.save(scope, executionId, toWrites(batch.tasks), now);
      const toolCalls = byId(batch.tool_calls.map(boundedToolCall), ['id', 'tool_call_id', 'tool_execution_id']);
      const turns = byId(batch.turns, ['id', 'turn_id', 'turn_number']);
      await this.tasks.saveRecords(scope, executionId, 'tool_call', toolCalls, now);
      await this.tasks.saveRecords(scope, executionId, 'turn', turns, now);
    });
  }
}

/** Returns one write per task. The fields of a later record of a task override those of an earlier one. */
function toWrites(tasks: readonly SaveTaskRecord[]): readonly TaskWrite[] {
  const writes = new Map<string, TaskWrite>();
  for (const task of tasks) {
    const id = newId();
    const taskId = task.task_id ?? id;
    const given = Object.fromEntries(Object.entries(task).filter(([, value]) => value != null));
    writes.set(taskId, { ...(writes.get(taskId) ?? { id }), ...given, task_id: taskId });
  }
  return [...writes.values()];
}

/**
 * Returns records by the first id field that they have, or by a generated id. If several have the same id, the last one
 * is used.
 */
function byId(records: readonly JsonObject[], idFields: readonly string[]): Map<string, JsonObject> {
  return new Map(
    records.map((record) => {
      const id = idFields
        .map((field) => record[field])
        .find((value) => typeof value === 'string' || typeof value === 'number');
      return [id === undefined ? newId() : String(id), record];
    }),
  );
}
