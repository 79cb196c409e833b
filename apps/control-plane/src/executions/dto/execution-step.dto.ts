import {
  MAX_DEFINED_STEPS,
  MAX_STEP_ERROR_LENGTH,
  MAX_STEP_OUTPUT_LENGTH,
  STEP_STATUSES,
  type StepStatus,
} from '@app/executions';
import {
  EnumField,
  IntegerField,
  NestedField,
  ObjectField,
  ResponseInteger,
  ResponseNumber,
  ResponseObject,
  ResponseString,
  ResponseTime,
  StringField,
  TimeField,
} from '@app/http';
import type { JsonObject } from '@app/kernel';

const STATUS =
  'Status: `pending`; `running`; `completed`; `failed`; `skipped`: its condition was false, or a step that it depends on has no output; `cancelled`: the execution ended first';

export class ReportedStepRequest {
  @StringField({ required: true, maxLength: 64, description: 'Name of a step of the workflow' })
  readonly name!: string;

  @EnumField(STEP_STATUSES, { required: true, description: STATUS })
  readonly status!: StepStatus;

  @IntegerField({ min: 0, max: 1_000_000, description: 'Number of started attempts of the step. Default 0' })
  readonly attempt?: number | null;

  @StringField({ maxLength: MAX_STEP_OUTPUT_LENGTH, description: 'Output of the step, which later steps can use' })
  readonly output?: string | null;

  @StringField({ maxLength: MAX_STEP_ERROR_LENGTH })
  readonly error_message?: string | null;

  @TimeField()
  readonly started_at?: Date | null;

  @TimeField({ description: 'End of the step. A step with an end gets a task record' })
  readonly completed_at?: Date | null;

  @ObjectField({ empty: 'keep', description: 'Token counts and model, as the worker reports them' })
  readonly usage?: JsonObject;
}

export class ReportStepsRequest {
  @NestedField(ReportedStepRequest, {
    required: true,
    list: true,
    maxItems: MAX_DEFINED_STEPS,
    description: 'Steps, each at most once. A report replaces the earlier report of the same step',
  })
  readonly steps!: ReportedStepRequest[];
}

export class ExecutionStepResponse {
  @ResponseString({ description: 'Name, unique in the workflow' })
  readonly name!: string;

  @ResponseString({ example: 'agent', description: 'What the step runs: `agent`, `team`, `tool` or `prompt`' })
  readonly type!: string;

  @ResponseString({ enum: STEP_STATUSES, description: STATUS })
  readonly status!: StepStatus;

  @ResponseInteger({ description: 'Number of started attempts of the step, in all attempts of the execution' })
  readonly attempt!: number;

  @ResponseString({ nullable: true, description: 'Output, which later steps can use; null without one' })
  readonly output!: string | null;

  @ResponseString({ nullable: true, description: 'Why the step failed or was skipped' })
  readonly error_message!: string | null;

  @ResponseTime({ nullable: true, description: 'Start of the last attempt' })
  readonly started_at!: string | null;

  @ResponseTime({ nullable: true, description: 'End of the step' })
  readonly completed_at!: string | null;

  @ResponseNumber({ nullable: true, description: 'Duration of the last attempt in milliseconds' })
  readonly duration_ms!: number | null;

  @ResponseObject({ description: 'Token counts and model, as the worker reported them' })
  readonly usage!: JsonObject;
}
