import { toWireTime } from '@app/kernel';
import type { Task } from '@app/tasks';
import type { TaskResponse, TaskResultResponse } from './dto/task.response.dto.js';

export function toTaskResponse(task: Task): TaskResponse {
  return {
    id: task.id,
    name: task.name,
    status: task.status,
    agent_id: task.agent_id,
    execution_id: task.execution_id,
    parameters: task.parameters,
    created_at: toWireTime(task.created_at),
  };
}

export function toTaskResultResponse(task: Task): TaskResultResponse {
  return { ...toTaskResponse(task), result: task.result, error: task.error };
}
