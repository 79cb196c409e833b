import {
  EnumField,
  ListQuery,
  ObjectField,
  OpenObjectField,
  OpenObjectListField,
  PatchOf,
  StringField,
  ValidateObject,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { MAX_STEPS, stepFaults, WORKFLOW_STATUSES, type WorkflowStatus } from '@app/workflows';
import { ExecutionEnvironment } from '../../environments/dto/execution-environment.dto.js';
import { WorkflowStep } from './workflow-step.dto.js';

/** Bounded because error messages and other responses contain it. */
const NAME = { maxLength: 255 };

@ValidateObject(({ steps }) => stepFaults(steps))
export class CreateWorkflowRequest {
  @StringField({ required: true, ...NAME, example: 'Release notes', description: 'Name, unique in the organization' })
  readonly name!: string;

  @StringField()
  readonly description?: string | null;

  @OpenObjectListField(WorkflowStep, {
    empty: 'keep',
    maxItems: MAX_STEPS,
    description: 'Steps, at most 500, whose dependencies form no cycle; stored unchanged',
  })
  readonly steps?: JsonObject[];

  @ObjectField({ empty: 'keep', description: 'Free-form configuration of the runs' })
  readonly configuration?: JsonObject;

  @StringField({ maxLength: 255, description: 'Id of the team that the workflow belongs to' })
  readonly team_id?: string | null;
}

@ValidateObject(({ steps }) => stepFaults(steps))
export class UpdateWorkflowRequest extends PatchOf(CreateWorkflowRequest) {
  @EnumField(WORKFLOW_STATUSES, {
    empty: 'keep',
    description: 'Status, set by clients: `active` (default), `inactive` or `archived`',
  })
  readonly status?: WorkflowStatus;
}

export class ExecuteWorkflowRequest {
  @ObjectField({ empty: 'keep', description: 'Values of `{{params.<name>}}` in the steps, by name' })
  readonly params?: JsonObject;

  @StringField({
    maxLength: 255,
    alias: 'worker_queue_name',
    description: 'Worker queue id or name. Default: a queue of one of the environments of the agents and teams',
  })
  readonly worker_queue_id?: string | null;

  @StringField({ maxLength: 255 })
  readonly parent_execution_id?: string | null;

  @ObjectField({ empty: 'keep', description: 'Free-form metadata, stored as `execution_metadata.user_metadata`' })
  readonly user_metadata?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description:
      'Execution environment, merged over those of the agents and teams. Commands in it require the scope `agents:write`',
  })
  readonly execution_environment?: JsonObject;
}

export class ListWorkflowsQuery extends ListQuery {
  @EnumField(WORKFLOW_STATUSES, { empty: 'keep', alias: 'status_filter', description: 'Workflow status' })
  readonly status?: WorkflowStatus;
}
