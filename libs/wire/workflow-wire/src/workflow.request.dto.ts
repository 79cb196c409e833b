import {
  EnumField,
  NamedListQuery,
  ObjectField,
  OpenObjectListField,
  PatchOf,
  StringField,
  ValidateObject,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { MAX_STEPS, stepFaults } from '@app/workflow-grammar';
import { WORKFLOW_STATUSES, type WorkflowStatus } from '@app/workflows';
import { WorkflowStep } from './workflow-step.dto.js';

/** The length is limited because error messages and other responses contain the name. */
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

export class ListWorkflowsQuery extends NamedListQuery {
  @EnumField(WORKFLOW_STATUSES, { empty: 'keep', alias: 'status_filter', description: 'Workflow status' })
  readonly status?: WorkflowStatus;
}
