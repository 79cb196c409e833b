import { EXECUTION_STATUSES, JOB_RUN_STATUSES, type ExecutionStatus, type JobRunStatus } from '@app/executions';
import { ResponseString, ResponseTime } from '@app/http';

export class CreatedExecutionResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({
    enum: EXECUTION_STATUSES,
    description:
      'Status. `pending`: waiting for a worker; `running`; `waiting_for_input`: waiting for a message; `paused`; final: `completed`, `failed`, `cancelled`, `terminated`',
  })
  readonly status!: ExecutionStatus;

  @ResponseTime()
  readonly created_at!: string;
}

export class JobExecutionStatusResponse {
  @ResponseString()
  readonly job_id!: string;

  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ enum: JOB_RUN_STATUSES, description: 'Status of the run after the report' })
  readonly status!: JobRunStatus;
}
