import {
  BooleanField,
  CheckedAsWhole,
  EnumField,
  ListQuery,
  ObjectField,
  OpenObjectField,
  QueryBooleanField,
  QueryIntegerField,
  StringField,
} from '@app/http';
import {
  EXECUTOR_TYPES,
  JOB_STATUSES,
  jobFaults,
  PLANNING_MODES,
  scheduleFaults,
  TRIGGER_TYPES,
  type ExecutorType,
  type JobStatus,
  type PlanningMode,
  type TriggerType,
} from '@app/jobs';
import type { JsonObject } from '@app/kernel';
import { ExecutionEnvironment } from '../../environments/dto/execution-environment.dto.js';

const TEMPLATE =
  'Prompt with placeholders: {{ name }} is replaced by that parameter; dots walk into objects; a name without a ' +
  'value stays as written';
const SCHEDULE =
  'Cron expression of five fields, or six with seconds first; required when trigger_type is cron. Stored and checked; ' +
  'this version does not fire it';
const ENTITY = 'Looked up when the job fires; required for the predefined planning modes';
const QUEUE = 'Id or name, looked up when the job fires; required when executor_type is specific_queue';
const ENVIRONMENT = 'Id or name, looked up when the job fires; required when executor_type is environment';
const SURROUNDINGS = 'env_vars, secrets, integration_ids, mcp_servers; commands among these need agents:write';

@CheckedAsWhole(jobFaults)
export class CreateJobRequest {
  @StringField({ required: true, example: 'Nightly report' })
  readonly name!: string;

  @EnumField(TRIGGER_TYPES, { required: true, description: 'A webhook job is given a webhook_url of its own' })
  readonly trigger_type!: TriggerType;

  @StringField({ required: true, description: TEMPLATE, example: 'Summarise what {{ customer.name }} wrote' })
  readonly prompt_template!: string;

  @StringField()
  readonly description?: string | null;

  @BooleanField({ empty: 'keep', default: true })
  readonly enabled?: boolean;

  @StringField({ description: SCHEDULE, example: '0 9 * * MON-FRI' })
  readonly cron_schedule?: string | null;

  @StringField({ empty: 'keep', default: 'UTC', description: 'IANA time zone', example: 'Europe/Berlin' })
  readonly cron_timezone?: string;

  @EnumField(PLANNING_MODES, { empty: 'keep', default: 'predefined_agent' })
  readonly planning_mode?: PlanningMode;

  @StringField()
  readonly entity_type?: string | null;

  @StringField({ maxLength: 255, description: ENTITY })
  readonly entity_id?: string | null;

  @StringField({ description: "Used in place of the agent's own" })
  readonly system_prompt?: string | null;

  @EnumField(EXECUTOR_TYPES, { empty: 'keep', default: 'auto' })
  readonly executor_type?: ExecutorType;

  @StringField({ maxLength: 255, description: QUEUE })
  readonly worker_queue_name?: string | null;

  @StringField({ maxLength: 255, description: ENVIRONMENT })
  readonly environment_name?: string | null;

  @ObjectField({ empty: 'keep', description: 'For example retry_policy.max_attempts' })
  readonly config?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, { empty: 'keep', description: SURROUNDINGS })
  readonly execution_environment?: JsonObject;
}

@CheckedAsWhole(scheduleFaults)
export class UpdateJobRequest {
  @StringField({ empty: 'keep' })
  readonly name?: string;

  @EnumField(TRIGGER_TYPES, { empty: 'keep', description: 'A job that becomes a webhook job is given a new address' })
  readonly trigger_type?: TriggerType;

  @StringField({ empty: 'keep', description: TEMPLATE })
  readonly prompt_template?: string;

  @StringField()
  readonly description?: string | null;

  @BooleanField({ empty: 'keep' })
  readonly enabled?: boolean;

  @StringField({ description: SCHEDULE })
  readonly cron_schedule?: string | null;

  @StringField({ empty: 'keep', description: 'IANA time zone' })
  readonly cron_timezone?: string;

  @EnumField(PLANNING_MODES, { empty: 'keep' })
  readonly planning_mode?: PlanningMode;

  @StringField()
  readonly entity_type?: string | null;

  @StringField({ maxLength: 255, description: ENTITY })
  readonly entity_id?: string | null;

  @StringField({ description: "Used in place of the agent's own" })
  readonly system_prompt?: string | null;

  @EnumField(EXECUTOR_TYPES, { empty: 'keep' })
  readonly executor_type?: ExecutorType;

  @StringField({ maxLength: 255, description: QUEUE })
  readonly worker_queue_name?: string | null;

  @StringField({ maxLength: 255, description: ENVIRONMENT })
  readonly environment_name?: string | null;

  @ObjectField({ empty: 'keep' })
  readonly config?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, { empty: 'keep', description: SURROUNDINGS })
  readonly execution_environment?: JsonObject;
}

export class ListJobsQuery extends ListQuery {
  @QueryBooleanField()
  readonly enabled?: boolean;

  @EnumField(JOB_STATUSES, { empty: 'keep', description: 'The same as enabled, in words' })
  readonly status?: JobStatus;

  @EnumField(TRIGGER_TYPES, { empty: 'keep' })
  readonly trigger_type?: TriggerType;

  @StringField({ empty: 'keep' })
  readonly entity_id?: string;
}

/** The window of a history whose query does not say. */
export const HISTORY_WINDOW = { limit: 50, offset: 0 };

export class JobHistoryQuery {
  @QueryIntegerField({ min: 1, max: 1000, default: HISTORY_WINDOW.limit, description: 'Runs to answer at most' })
  readonly limit?: number;

  @QueryIntegerField({ min: 0, default: HISTORY_WINDOW.offset, description: 'Runs to pass over' })
  readonly offset?: number;
}

export class TriggerJobRequest {
  @ObjectField({ empty: 'keep', alias: 'variables', description: "For the prompt's placeholders; also as variables" })
  readonly parameters?: JsonObject;

  @ObjectField({ empty: 'keep', description: "Laid over the job's config, key by key, for this execution only" })
  readonly config_override?: JsonObject;
}
