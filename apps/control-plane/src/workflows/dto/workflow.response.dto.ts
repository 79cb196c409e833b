import { ResponseInteger, ResponseObject, ResponseOpenObjectList, ResponseString, ResponseTime } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { WorkflowStep } from '@app/workflow-wire';

export class WorkflowVersionResponse {
  @ResponseString({ description: 'Workflow id' })
  readonly workflow_id!: string;

  @ResponseInteger({ description: 'Version number, from 1' })
  readonly version!: number;

  @ResponseOpenObjectList(WorkflowStep, { description: 'Steps in this version, exactly as sent' })
  readonly steps!: readonly JsonObject[];

  @ResponseObject({ description: 'Free-form configuration of the runs in this version' })
  readonly configuration!: JsonObject;

  @ResponseString({ nullable: true, description: 'Id of the team in this version; null without one' })
  readonly team_id!: string | null;

  @ResponseString({ nullable: true, description: 'Id of the user who made this version; null if unknown' })
  readonly created_by!: string | null;

  @ResponseTime({ description: 'Creation time of this version' })
  readonly created_at!: string;
}
