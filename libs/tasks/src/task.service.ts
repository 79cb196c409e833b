import { AgentRunService } from '@app/agents';
import { Database } from '@app/database';
import { ExecutionService, type Execution } from '@app/executions';
import type { Caller, Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { taskPrompt } from './task-prompt.js';
import { taskNotFound } from './task.errors.js';
import { TaskRepository } from './task.repository.js';
import type { RequestedTask, StartTask, Task } from './task.types.js';

@Injectable()
export class TaskService {
  constructor(
    private readonly tasks: TaskRepository,
    private readonly agents: AgentRunService,
    private readonly executions: ExecutionService,
    private readonly database: Database,
  ) {}

  /** A task is an execution of its agent; both come to be, or neither. */
  async start(caller: Caller, request: StartTask): Promise<Task> {
    const { name, agent_id, parameters } = request;
    return this.database.transaction(async () => {
      const execution = await this.agents.execute(caller, agent_id, { prompt: taskPrompt(name, parameters) });
      const { id: execution_id, created_at } = execution;
      const requested = { name, agent_id, parameters, execution_id, created_at };
      await this.tasks.insert(caller, requested);
      return taskOf(requested, execution);
    });
  }

  async read(scope: Scope, id: string): Promise<Task> {
    const requested = await this.tasks.find(scope, id);
    if (requested === undefined) throw taskNotFound();
    return taskOf(requested, await this.executions.read(scope, id));
  }

  /** Newest first. */
  async list(scope: Scope, page: Page): Promise<Listed<Task>> {
    const { items, total } = await this.tasks.list(scope, page);
    const executions = await this.executions.readAll(
      scope,
      items.map(({ execution_id }) => execution_id),
    );
    const tasks = items.flatMap((requested) => {
      const execution = executions.get(requested.execution_id);
      return execution === undefined ? [] : [taskOf(requested, execution)];
    });
    return { items: tasks, total };
  }
}

/** What was asked for, and how it goes. */
function taskOf(requested: RequestedTask, execution: Execution): Task {
  return {
    id: requested.execution_id,
    name: requested.name,
    status: execution.status,
    agent_id: requested.agent_id,
    execution_id: requested.execution_id,
    parameters: requested.parameters,
    created_at: requested.created_at,
    result: execution.response,
    error: execution.error_message,
  };
}
