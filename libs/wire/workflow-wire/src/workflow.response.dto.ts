import { ResponseInteger, ResponseObject, ResponseOpenObjectList, ResponseString, ResponseTime } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { WORKFLOW_STATUSES, type WorkflowStatus } from '@app/workflows';
import { WorkflowStep } from './workflow-step.dto.js';

export class WorkflowResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name, unique in the organization' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseString({
    enum: WORKFLOW_STATUSES,
    description: 'Status, set by clients: `active` (default), `inactive` or `archived`',
  })
  readonly status!: WorkflowStatus;

  @ResponseOpenObjectList(WorkflowStep, { description: 'Steps, exactly as sent' })
  readonly steps!: readonly JsonObject[];

  @ResponseObject({ description: 'Free-form configuration of the runs' })
  readonly configuration!: JsonObject;

  @ResponseString({ nullable: true, description: 'Id of the team that the workflow belongs to; null without one' })
  readonly team_id!: string | null;

  @ResponseInteger({
    description: 'Version number, from 1; each change of `steps`, `configuration` or `team_id` increments it',
  })
  readonly version!: number;

  @ResponseString({ nullable: true, description: 'Id of the user who created the workflow; null if unknown' })
  readonly created_by!: string | null;

  @ResponseString({ nullable: true, description: 'Id of the user who changed the workflow last; null if unknown' })
  readonly updated_by!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}
