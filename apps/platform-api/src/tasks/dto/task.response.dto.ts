import { ResponseObject, ResponseString, ResponseTime } from '@app/http';
import type { JsonObject } from '@app/kernel';

export class TaskResponse {
  @ResponseString({ description: 'Task id' })
  readonly id!: string;

  @ResponseString({ description: 'Task, as a prompt for the agent' })
  readonly name!: string;

  @ResponseString({
    description:
      'Status. `pending`: waiting for a worker; `running`; `waiting_for_input`: waiting for a message; `paused`; final: `completed`, `failed`, `cancelled`, `terminated`',
  })
  readonly status!: string;

  @ResponseString()
  readonly agent_id!: string;

  @ResponseString({ description: 'Id of the execution that runs the task' })
  readonly execution_id!: string;

  @ResponseObject({ description: 'Parameters as sent' })
  readonly parameters!: JsonObject;

  @ResponseTime()
  readonly created_at!: string;
}

export class TaskResultResponse extends TaskResponse {
  @ResponseString({ nullable: true, description: 'Final response of the agent; null before the task ends' })
  readonly result!: string | null;

  @ResponseString({ nullable: true, description: 'Error message; null without an error' })
  readonly error!: string | null;
}
