import { ResponseString } from '@app/http';

export class StartedExecutionResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ description: 'Id of the run in the queue; equal to `execution_id`' })
  readonly workflow_id!: string;

  @ResponseString({ description: 'Status of the execution' })
  readonly status!: string;

  @ResponseString({ description: 'Result of the start, as text' })
  readonly message!: string;
}
