import { ObjectField, ResponseString, StringField } from '@app/http';
import type { JsonObject } from '@app/kernel';

export class ExecuteWorkflowRequest {
  @ObjectField({ empty: 'keep', description: 'Values of `{{params.<name>}}` in the steps, by name' })
  readonly params?: JsonObject;

  @StringField({
    maxLength: 255,
    description: 'Worker queue id or name. Default: a queue of one of the environments of the agents and teams',
  })
  readonly worker_queue_id?: string | null;
}

export class StartedWorkflowResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ description: 'Workflow id' })
  readonly workflow_id!: string;

  @ResponseString({ description: 'Status of the execution; `failed` if it was denied or cannot run' })
  readonly status!: string;

  @ResponseString({ nullable: true, description: 'Why the execution failed at once; null if it started' })
  readonly error_message!: string | null;
}
