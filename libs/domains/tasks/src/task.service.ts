import { Database } from '@app/database';
import { ExecutionService, type Execution } from '@app/executions';
import type { Caller, NameFilter, Page, PageResult, Scope } from '@app/kernel';
import { RequestedRunService } from '@app/orchestration';
import { Injectable } from '@nestjs/common';
import { taskPrompt } from './task-prompt.js';
import { taskNotFound } from './task.errors.js';
import { TaskRepository } from './task.repository.js';
import type { TaskRow, StartTask, Task } from './task.types.js';

@Injectable()
export class TaskService {
  constructor(
    private readonly tasks: TaskRepository,
    private readonly runs: RequestedRunService,
    private readonly executions: ExecutionService,
    private readonly database: Database,
  ) {}

  /** Inserts the task and the execution of its agent in one transaction. */
  async start(caller: Caller, request: StartTask): Promise<Task> {
    const { name, agent_id, parameters } = request;
    return this.database.transactionOf(caller, async () => {
      const agent = { kind: 'agent', id: agent_id } as const;
      const { execution } = await this.runs.start(caller, agent, { prompt: taskPrompt(name, parameters) });
      const { id: execution_id, created_at } = execution;
      const row = { name, agent_id, parameters, execution_id, created_at };
      await this.tasks.insert(caller, row);
      return toTask(row, execution);
    });
  }

  async read(scope: Scope, id: string): Promise<Task> {
    const row = await this.tasks.find(scope, id);
    if (row === undefined) throw taskNotFound();
    return toTask(row, await this.executions.read(scope, id));
  }

  /** Newest first. */
  async list(scope: Scope, page: Page, filter: NameFilter = {}): Promise<PageResult<Task>> {
    const { items, ...paging } = await this.tasks.list(scope, page, filter);
    const executions = await this.executions.byIds(
      scope,
      items.map(({ execution_id }) => execution_id),
    );
    const tasks = items.flatMap((row) => {
      const execution = executions.get(row.execution_id);
      return execution === undefined ? [] : [toTask(row, execution)];
    });
    return { ...paging, items: tasks };
  }
}

function toTask(row: TaskRow, execution: Execution): Task {
  return {
    id: row.execution_id,
    name: row.name,
    status: execution.status,
    agent_id: row.agent_id,
    execution_id: row.execution_id,
    parameters: row.parameters,
    created_at: row.created_at,
    result: execution.response,
    error: execution.error_message,
  };
}
