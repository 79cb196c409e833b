import { OutObject, OutString, OutTime } from '@app/http';
import type { JsonObject } from '@app/kernel';

export class TaskResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly name!: string;

  @OutString({ description: 'As of its execution: pending, running, …, completed, failed, cancelled, terminated' })
  readonly status!: string;

  @OutString()
  readonly agent_id!: string;

  @OutString()
  readonly execution_id!: string;

  @OutObject({ description: 'As they were sent' })
  readonly parameters!: JsonObject;

  @OutTime()
  readonly created_at!: string;
}

export class TaskResultResponse extends TaskResponse {
  @OutString({ nullable: true, description: "The agent's answer, once there is one" })
  readonly result!: string | null;

  @OutString({ nullable: true, description: 'Why it failed' })
  readonly error!: string | null;
}
