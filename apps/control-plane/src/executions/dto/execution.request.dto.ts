import { EnumField, IntegerField, ListQuery, ObjectField, ObjectListField, StringField, TimeField } from '@app/http';
import {
  EXECUTION_STATUSES,
  EXECUTION_TYPES,
  JOB_RUN_STATUSES,
  MAX_SESSION_MESSAGES,
  type ExecutionStatus,
  type ExecutionType,
  type JobRunStatus,
} from '@app/executions';
import { EXECUTION_ID_PATTERN, type JsonObject } from '@app/kernel';

export class CreateExecutionRequest {
  @StringField({
    empty: 'keep',
    pattern: EXECUTION_ID_PATTERN,
    patternMeans: '1 to 128 letters, digits, _, ., : and -, and be neither . nor ..',
    description: 'Default: a new id',
  })
  readonly execution_id?: string;

  @EnumField(EXECUTION_TYPES, { empty: 'keep', default: 'agent', alias: 'entity_type', anyCase: true })
  readonly execution_type?: ExecutionType;

  @StringField({ maxLength: 255 })
  readonly entity_id?: string | null;

  @StringField()
  readonly entity_name?: string | null;

  @StringField()
  readonly prompt?: string | null;

  @StringField()
  readonly system_prompt?: string | null;

  @StringField()
  readonly runner_name?: string | null;

  @StringField({ maxLength: 255, description: 'The job it is a run of' })
  readonly job_id?: string | null;

  @StringField({ maxLength: 255 })
  readonly parent_execution_id?: string | null;

  @StringField({ empty: 'keep', default: 'api' })
  readonly trigger_type?: string;

  @ObjectField({ empty: 'keep' })
  readonly trigger_metadata?: JsonObject;

  @ObjectField({ empty: 'keep' })
  readonly execution_metadata?: JsonObject;
}

export class UpdateExecutionRequest {
  @EnumField(EXECUTION_STATUSES, { empty: 'keep', anyCase: true })
  readonly status?: ExecutionStatus;

  @TimeField({ empty: 'keep' })
  readonly started_at?: Date;

  @TimeField({ empty: 'keep' })
  readonly completed_at?: Date;

  @StringField()
  readonly response?: string | null;

  @StringField()
  readonly error_message?: string | null;

  @ObjectField({ empty: 'keep' })
  readonly usage?: JsonObject;

  @ObjectField({ empty: 'keep' })
  readonly execution_metadata?: JsonObject;
}

export class UpdateExecutionStatusRequest {
  @EnumField(EXECUTION_STATUSES, { required: true, anyCase: true })
  readonly status!: ExecutionStatus;

  @StringField()
  readonly error_message?: string | null;
}

export class JobExecutionStatusRequest {
  @EnumField(JOB_RUN_STATUSES, { required: true, anyCase: true })
  readonly status!: JobRunStatus;

  @IntegerField({ min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Milliseconds' })
  readonly duration_ms?: number | null;

  @StringField()
  readonly error_message?: string | null;
}

export class ListExecutionsQuery extends ListQuery {
  @EnumField(EXECUTION_STATUSES, { empty: 'keep', anyCase: true, alias: 'status_filter' })
  readonly status?: ExecutionStatus;

  @EnumField(EXECUTION_TYPES, { empty: 'keep', anyCase: true })
  readonly execution_type?: ExecutionType;

  @StringField({ empty: 'keep' })
  readonly entity_id?: string;

  @StringField({ empty: 'keep' })
  readonly job_id?: string;
}

export class SaveSessionRequest {
  @StringField()
  readonly session_id?: string | null;

  @StringField()
  readonly user_id?: string | null;

  @ObjectListField({
    empty: 'keep',
    maxItems: MAX_SESSION_MESSAGES,
    description: 'The whole conversation so far, oldest first',
  })
  readonly messages?: JsonObject[];

  @ObjectField({ empty: 'keep' })
  readonly metadata?: JsonObject;
}

export class SendMessageRequest {
  @StringField({ required: true })
  readonly message!: string;

  @StringField({ empty: 'keep', maxLength: 50, default: 'user' })
  readonly role?: string;
}
