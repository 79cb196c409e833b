import {
  BooleanField,
  CursorQuery,
  EnumField,
  IntegerField,
  NamedListQuery,
  ObjectField,
  OpenObjectField,
  PatchOf,
  QueryBooleanField,
  QueryIntegerField,
  startsOnce,
  StringField,
  TimeField,
  ValidateObject,
} from '@app/http';
import {
  EXECUTOR_TYPES,
  JOB_CONFIG_KEYS,
  JOB_STATUSES,
  jobFaults,
  overrideFaults,
  PLANNING_MODES,
  previewFaults,
  scheduleFaults,
  TRIGGER_TYPES,
  WEBHOOK_SIGNATURES,
  type ExecutorType,
  type JobStatus,
  type PlanningMode,
  type TriggerType,
  type WebhookSignature,
} from '@app/jobs';
import type { JsonObject } from '@app/kernel';
import { RUN_LIMITS } from '../../executions/dto/run-limits.js';
import { ExecutionEnvironment } from '../../environments/dto/execution-environment.dto.js';

const TEMPLATE =
  'Prompt with placeholders: `{{ name }}` is replaced by the parameter of that name, `{{ a.b }}` by a nested value. ' +
  'A placeholder without a value stays unchanged';
const CRON_EXPRESSION =
  'Cron expression of five fields, of six with seconds first, or a shorthand such as `@daily`, matched against the local time of `cron_timezone`';
const SCHEDULE = `${CRON_EXPRESSION}. Required if \`trigger_type\` is \`cron\``;
const ENTITY =
  'Id of the agent, team or workflow, looked up at each trigger. Required unless `planning_mode` is `on_the_fly`';
const ENTITY_TYPE =
  'Kind of the entity: `agent`, `team` or `workflow`. Overrides the kind that `planning_mode` names; the header ' +
  '`X-Notice` of the response states a contradiction';
const QUEUE = 'Worker queue id or name, looked up at each trigger. Required if `executor_type` is `specific_queue`';
const ENVIRONMENT = 'Environment id or name, looked up at each trigger. Required if `executor_type` is `environment`';
const SIGNATURE =
  'How calls of `webhook_url` are authenticated: `standard` (`X-Webhook-Signature`, Standard Webhooks, or the ' +
  '`X-Hub-Signature-256` of GitHub), `github`, `stripe` or `slack` (only by the signature of this sender), or ' +
  '`none_with_secret_in_url` (by the query parameter `secret`, for senders that cannot sign). Default `standard` on creation';
const SECRET =
  'Secret with which calls of `webhook_url` are signed, for senders that choose it themselves. Without one, the job keeps ' +
  'its secret, or gets a random one when it becomes a webhook job';
const EXECUTION_ENVIRONMENT =
  'Variables, secrets, integrations and MCP servers of the executions of the job. Commands in it require the scope ' +
  '`agents:write`';

@ValidateObject(jobFaults)
export class CreateJobRequest {
  @StringField({ required: true, example: 'Nightly report', description: 'Name' })
  readonly name!: string;

  @EnumField(TRIGGER_TYPES, {
    required: true,
    description:
      'Trigger of the job: `manual` (on request), `webhook` (signed HTTP call to `webhook_url`) or `cron` (schedule)',
  })
  readonly trigger_type!: TriggerType;

  @StringField({ required: true, description: TEMPLATE, example: 'Summarize what {{ customer.name }} wrote' })
  readonly prompt_template!: string;

  @StringField()
  readonly description?: string | null;

  @BooleanField({
    empty: 'keep',
    default: true,
    description: 'Whether triggers start executions. Default true on creation',
  })
  readonly enabled?: boolean;

  @StringField({ description: SCHEDULE, example: '0 9 * * MON-FRI' })
  readonly cron_schedule?: string | null;

  @StringField({
    empty: 'keep',
    default: 'UTC',
    description: 'IANA time zone of `cron_schedule`. Default `UTC` on creation',
    example: 'Europe/Berlin',
  })
  readonly cron_timezone?: string;

  @EnumField(PLANNING_MODES, { empty: 'keep', default: 'predefined_agent' })
  readonly planning_mode?: PlanningMode;

  @StringField({ description: ENTITY_TYPE })
  readonly entity_type?: string | null;

  @StringField({ maxLength: 255, description: ENTITY })
  readonly entity_id?: string | null;

  @StringField({ description: 'System prompt that replaces that of the agent' })
  readonly system_prompt?: string | null;

  @EnumField(EXECUTOR_TYPES, { empty: 'keep', default: 'auto' })
  readonly executor_type?: ExecutorType;

  @StringField({ maxLength: 255, description: QUEUE })
  readonly worker_queue_name?: string | null;

  @StringField({ maxLength: 255, description: ENVIRONMENT })
  readonly environment_name?: string | null;

  @ObjectField({
    empty: 'keep',
    keysWithEffect: JOB_CONFIG_KEYS,
    description:
      `${RUN_LIMITS} \`session_id\`: the session that the runs continue, \`multitask\` (\`enqueue\`, \`reject\` or ` +
      '`parallel`, default `enqueue`): what happens while another one of its executions has not ended. ' +
      `For a schedule: \`overlap\` (\`allow\`, \`skip\` or \`queue\`, default \`allow\`) and ` +
      '`catchup_window_seconds` (0 to 604800, default 60)',
  })
  readonly config?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, { empty: 'keep', description: EXECUTION_ENVIRONMENT })
  readonly execution_environment?: JsonObject;

  @EnumField(WEBHOOK_SIGNATURES, { empty: 'keep', default: 'standard', description: SIGNATURE })
  readonly webhook_signature?: WebhookSignature;

  @StringField({
    empty: 'keep',
    minLength: 16,
    maxLength: 255,
    pattern: /^[!-~]([ -~]*[!-~])?$/,
    patternMeans: 'printable ASCII characters, without spaces at its ends',
    description: SECRET,
  })
  readonly webhook_secret?: string;
}

@ValidateObject(scheduleFaults)
export class UpdateJobRequest extends PatchOf(CreateJobRequest, {
  change: {
    trigger_type: {
      description:
        'Trigger of the job: `manual`, `webhook` or `cron`. A job that changes to `webhook` gets a new `webhook_url`',
    },
  },
}) {}

export class ListJobsQuery extends NamedListQuery {
  @QueryBooleanField({ description: 'Whether the job is enabled' })
  readonly enabled?: boolean;

  @EnumField(JOB_STATUSES, { empty: 'keep', description: 'Job status, `active` (enabled) or `paused`' })
  readonly status?: JobStatus;

  @EnumField(TRIGGER_TYPES, { empty: 'keep', description: 'Trigger of the job' })
  readonly trigger_type?: TriggerType;

  @StringField({ empty: 'keep' })
  readonly entity_id?: string;
}

/** The default page of a history. */
export const HISTORY_PAGE = { limit: 50, offset: 0 };

@ValidateObject(startsOnce('offset'))
export class JobHistoryQuery extends CursorQuery {
  @QueryIntegerField({
    min: 1,
    max: 1000,
    default: HISTORY_PAGE.limit,
    description: 'Maximum number of runs, 1 to 1000. Default 50',
  })
  readonly limit?: number;

  @QueryIntegerField({ min: 0, default: HISTORY_PAGE.offset, description: 'Number of runs to skip. Default 0' })
  readonly offset?: number;
}

@ValidateObject(overrideFaults)
export class TriggerJobRequest {
  @ObjectField({ empty: 'keep', alias: 'variables', description: 'Values for the placeholders of the prompt template' })
  readonly parameters?: JsonObject;

  @ObjectField({
    empty: 'keep',
    keysWithEffect: JOB_CONFIG_KEYS,
    description: 'Configuration for this execution; its top-level keys override those of the job',
  })
  readonly config_override?: JsonObject;
}

/** The default number of previewed instants. */
export const PREVIEWED_INSTANTS = 10;

@ValidateObject(previewFaults)
export class PreviewScheduleRequest {
  @StringField({ required: true, maxLength: 1000, description: CRON_EXPRESSION, example: '0 9 * * MON-FRI' })
  readonly cron_schedule!: string;

  @StringField({
    empty: 'keep',
    default: 'UTC',
    description: 'IANA time zone of `cron_schedule`. Default `UTC`',
    example: 'Europe/Berlin',
  })
  readonly cron_timezone?: string;

  @IntegerField({
    empty: 'keep',
    min: 1,
    max: 50,
    default: PREVIEWED_INSTANTS,
    description: 'Maximum number of instants, 1 to 50. Default 10',
  })
  readonly count?: number;

  @TimeField({
    empty: 'keep',
    description: 'Only later instants are returned. A time from the year 1970 to 9000. Default: now',
  })
  readonly after?: Date;
}
