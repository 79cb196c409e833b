import { EnumField, IntegerField, ListQuery, ObjectField, StringField, TimeField } from '@app/http';
import {
  EXECUTION_STATUSES,
  EXECUTION_TYPES,
  FAILURE_REASONS,
  JOB_RUN_STATUSES,
  type ExecutionStatus,
  type ExecutionType,
  type FailureReason,
  type JobRunStatus,
} from '@app/executions';
import { EXECUTION_ID_PATTERN, type JsonObject } from '@app/kernel';

export class CreateExecutionRequest {
  @StringField({
    empty: 'keep',
    pattern: EXECUTION_ID_PATTERN,
    patternMeans: '1 to 128 letters, digits, _, ., : and -, and be neither . nor ..',
    description: 'Execution id, chosen by the caller: 1 to 128 of `A-Z a-z 0-9 _ . : -`. Default: a new id',
  })
  readonly execution_id?: string;

  @EnumField(EXECUTION_TYPES, {
    empty: 'keep',
    default: 'agent',
    alias: 'entity_type',
    anyCase: true,
    description: 'Kind of entity that runs; case is ignored. Default `agent`',
  })
  readonly execution_type?: ExecutionType;

  @StringField({ maxLength: 255 })
  readonly entity_id?: string | null;

  @StringField()
  readonly entity_name?: string | null;

  @StringField()
  readonly prompt?: string | null;

  @StringField()
  readonly system_prompt?: string | null;

  @StringField({ description: 'Name of the process that runs the execution' })
  readonly runner_name?: string | null;

  @StringField({ maxLength: 255, description: 'Id of the job that the execution is a run of' })
  readonly job_id?: string | null;

  @StringField({ maxLength: 255 })
  readonly parent_execution_id?: string | null;

  @StringField({
    empty: 'keep',
    default: 'api',
    description: 'Trigger of the execution, for example `api` or `cron`. Default `api`',
  })
  readonly trigger_type?: string;

  @ObjectField({ empty: 'keep', description: 'Free-form metadata of the trigger' })
  readonly trigger_metadata?: JsonObject;

  @ObjectField({ empty: 'keep', description: 'Free-form metadata' })
  readonly execution_metadata?: JsonObject;
}

const FAILURE_REASON =
  'Why a run has failed: `timeout` if it took longer than its time limit, otherwise `failed`. The ' +
  '`retry_policy` of the job lists the reasons that lead to a further attempt. Default: `timeout` if the time limit is exceeded';

export class UpdateExecutionRequest {
  @EnumField(EXECUTION_STATUSES, {
    empty: 'keep',
    anyCase: true,
    description:
      'Status. `pending`: waiting for a worker; `running`; `waiting_for_input`: waiting for a message; `paused`; final: `completed`, `failed`, `cancelled`, `terminated`. Case is ignored',
  })
  readonly status?: ExecutionStatus;

  @TimeField({ empty: 'keep', description: 'Start of the run. Default: time of the first change to `running`' })
  readonly started_at?: Date;

  @TimeField({ empty: 'keep', description: 'End of the run. Default: time of the change to a final status' })
  readonly completed_at?: Date;

  @StringField()
  readonly response?: string | null;

  @StringField()
  readonly error_message?: string | null;

  @EnumField(FAILURE_REASONS, { empty: 'keep', description: FAILURE_REASON })
  readonly failure_reason?: FailureReason;

  @ObjectField({ empty: 'keep' })
  readonly usage?: JsonObject;

  @ObjectField({ empty: 'keep', description: 'Free-form metadata; replaces the stored value' })
  readonly execution_metadata?: JsonObject;
}

export class UpdateExecutionStatusRequest {
  @EnumField(EXECUTION_STATUSES, {
    required: true,
    anyCase: true,
    description:
      'Status. `pending`: waiting for a worker; `running`; `waiting_for_input`: waiting for a message; `paused`; final: `completed`, `failed`, `cancelled`, `terminated`. Case is ignored',
  })
  readonly status!: ExecutionStatus;

  @StringField()
  readonly error_message?: string | null;

  @EnumField(FAILURE_REASONS, { empty: 'keep', description: FAILURE_REASON })
  readonly failure_reason?: FailureReason;
}

export class JobExecutionStatusRequest {
  @EnumField(JOB_RUN_STATUSES, { required: true, anyCase: true, description: 'Status of the run; case is ignored' })
  readonly status!: JobRunStatus;

  @IntegerField({ min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Duration of the run in milliseconds' })
  readonly duration_ms?: number | null;

  @StringField()
  readonly error_message?: string | null;

  @EnumField(FAILURE_REASONS, { empty: 'keep', description: FAILURE_REASON })
  readonly failure_reason?: FailureReason;
}

export class ListExecutionsQuery extends ListQuery {
  @EnumField(EXECUTION_STATUSES, {
    empty: 'keep',
    anyCase: true,
    alias: 'status_filter',
    description: 'Execution status; case is ignored',
  })
  readonly status?: ExecutionStatus;

  @EnumField(EXECUTION_TYPES, {
    empty: 'keep',
    anyCase: true,
    description: 'Kind of entity that runs; case is ignored',
  })
  readonly execution_type?: ExecutionType;

  @StringField({ empty: 'keep' })
  readonly entity_id?: string;

  @StringField({ empty: 'keep', description: 'Job id' })
  readonly job_id?: string;

  @StringField({ empty: 'keep', description: 'The `session_id` of a session, which is unique for its user' })
  readonly session_id?: string;
}
