import { Clock, newId, type JsonObject, type Listed, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { AnalyticsRepository, type Count } from './analytics.repository.js';
import { ExecutionFence } from '../leases/execution-fence.js';
import { taskNotFound } from '../executions/execution.errors.js';
import { TaskRecordRepository } from './task-record.repository.js';
import type {
  AnalyticsBatch,
  AnalyticsSummary,
  SaveTaskRecord,
  SummaryFilter,
  TaskRecord,
  TaskRecordFields,
} from './task-record.types.js';

/** What workers track about the work inside an execution: tasks, tool calls, turns. */
@Injectable()
export class TaskRecordService {
  constructor(
    private readonly tasks: TaskRecordRepository,
    private readonly analytics: AnalyticsRepository,
    private readonly fence: ExecutionFence,
    private readonly clock: Clock,
  ) {}

  /** The same task again (execution and task_id) updates its record. */
  async save(scope: Scope, executionId: string, task: SaveTaskRecord, leaseToken: string | null): Promise<TaskRecord> {
    const write = (): Promise<TaskRecord> => this.write(scope, executionId, task, this.clock.now());
    return this.fence.write(scope, executionId, leaseToken, write);
  }

  /** `idOrTaskId`: the record's id, or the task id under which its worker knows it. */
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

  async list(scope: Scope, executionId: string, page: Page): Promise<Listed<TaskRecord>> {
    const listed = await this.tasks.list(scope, executionId, page);
    if (listed.total === 0) await this.fence.checkExists(scope, executionId);
    return listed;
  }

  /** All of it or nothing; the same records again replace those before. */
  async saveBatch(scope: Scope, executionId: string, batch: AnalyticsBatch, leaseToken: string | null): Promise<void> {
    const now = this.clock.now();
    await this.fence.write(scope, executionId, leaseToken, async () => {
      for (const task of batch.tasks) await this.write(scope, executionId, task, now);
      const toolCalls = byId(batch.tool_calls, ['id', 'tool_call_id', 'tool_execution_id']);
      const turns = byId(batch.turns, ['id', 'turn_id', 'turn_number']);
      await this.tasks.saveRecords(scope, executionId, 'tool_call', toolCalls, now);
      await this.tasks.saveRecords(scope, executionId, 'turn', turns, now);
    });
  }

  async summary(scope: Scope, filter: SummaryFilter): Promise<AnalyticsSummary> {
    const [executions, tasks, records] = await Promise.all([
      this.analytics.executionsByStatus(scope, filter),
      this.analytics.tasksByStatus(scope, filter),
      this.analytics.recordsByKind(scope, filter),
    ]);
    const kinds = toRecord(records);
    return {
      total_executions: sum(executions),
      executions_by_status: toRecord(executions),
      total_tasks: sum(tasks),
      tasks_by_status: toRecord(tasks),
      total_tool_calls: kinds['tool_call'] ?? 0,
      total_turns: kinds['turn'] ?? 0,
    };
  }

  private async write(scope: Scope, executionId: string, task: SaveTaskRecord, now: Date): Promise<TaskRecord> {
    const id = newId();
    return this.tasks.save(scope, { ...task, id, execution_id: executionId, task_id: task.task_id ?? id, now });
  }
}

/** Records under the first of the names that they carry; one without a name gets a new one. The last of a name wins. */
function byId(records: readonly JsonObject[], names: readonly string[]): Map<string, JsonObject> {
  return new Map(
    records.map((record) => {
      const name = names
        .map((key) => record[key])
        .find((value) => typeof value === 'string' || typeof value === 'number');
      return [name === undefined ? newId() : String(name), record];
    }),
  );
}

function toRecord(counts: readonly Count[]): Record<string, number> {
  return Object.fromEntries(counts.map(({ what, count }) => [what, count]));
}

function sum(counts: readonly Count[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
