import {
  AnyField,
  EnumField,
  IntegerField,
  ObjectField,
  OpenObjectField,
  StringField,
  StringListField,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { MAX_STEPS, STEP_TYPES, type StepType } from '@app/workflow-grammar';

/** Begins with a letter or an underscore, so that templates can contain it. */
const STEP_NAME = {
  pattern: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
  patternMeans: '1 to 64 letters, digits, _ and -, the first a letter or _',
};

class WorkflowTool {
  @StringField({ description: 'Name of the MCP server; required in a step of the type `tool`' })
  readonly server?: string | null;

  @StringField({ description: 'Name of the tool; required in a step of the type `tool`' })
  readonly name?: string | null;

  @ObjectField({ description: 'Arguments of the call; texts in them are templates, as in `prompt`' })
  readonly arguments?: JsonObject | null;
}

class WorkflowRetry {
  @IntegerField({ min: 1, max: 100, description: 'Maximum number of attempts, 1 to 100' })
  readonly max_attempts?: number | null;

  @IntegerField({ min: 0, max: 86_400, description: 'Delay before another attempt in seconds, 0 to 86400' })
  readonly delay_seconds?: number | null;
}

/** The known keys of a step; other keys are stored with them. */
export class WorkflowStep {
  @StringField({ required: true, ...STEP_NAME, example: 'review', description: 'Name, unique in the workflow' })
  readonly name!: string;

  @EnumField(STEP_TYPES, {
    required: true,
    description:
      'What the step runs. `agent`: the agent `agent_id`; `team`: the team `team_id`; `tool`: a tool of an MCP server; `prompt`: a model',
  })
  readonly type!: StepType;

  @StringField({ maxLength: 255, description: 'Id or name of an agent; required in a step of the type `agent`' })
  readonly agent_id?: string | null;

  @StringField({ maxLength: 255, description: 'Id or name of a team; required in a step of the type `team`' })
  readonly team_id?: string | null;

  @OpenObjectField(WorkflowTool, { description: 'Tool to call; required in a step of the type `tool`' })
  readonly tool?: JsonObject | null;

  @StringField({
    description:
      'Template of the prompt, required in a step of the type `prompt`: `{{params.x}}` is a parameter of the run, `{{steps.x.output}}` the output of another step',
  })
  readonly prompt?: string | null;

  @StringField({ maxLength: 255, description: 'Id or value of a model' })
  readonly model_id?: string | null;

  @StringListField({
    maxItems: MAX_STEPS,
    description:
      'Names of the steps that must end before this one starts. Steps whose output a template or a condition of this step uses are added automatically',
  })
  readonly depends_on?: string[] | null;

  @AnyField({
    description:
      'Condition of the step: `step` and one of `equals`, `not_equals`, `contains`, `matches` (a regular expression) and `exists`; or a list of conditions, all of which must hold',
  })
  readonly when?: unknown;

  @OpenObjectField(WorkflowRetry, { description: 'Attempts after failures' })
  readonly retry?: JsonObject | null;

  @IntegerField({ min: 1, max: 604_800, description: 'Maximum duration in seconds, 1 to 604800' })
  readonly timeout_seconds?: number | null;
}
