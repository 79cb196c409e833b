import { ResponseBoolean, ResponseInteger, ResponseString, ResponseTime } from '@app/http';
import { ENTITY_TYPES } from '@app/policies';

export class PolicyAssociationResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ enum: ENTITY_TYPES, description: 'Kind of the entity' })
  readonly entity_type!: string;

  @ResponseString({ description: 'Id of the agent, team or environment' })
  readonly entity_id!: string;

  @ResponseString()
  readonly policy_id!: string;

  @ResponseString()
  readonly policy_name!: string;

  @ResponseInteger({ description: 'Order of evaluation; higher values come first' })
  readonly priority!: number;

  @ResponseBoolean({ description: 'Whether the policy applies through this association' })
  readonly enabled!: boolean;

  @ResponseString({ nullable: true, description: 'Id of the user who created the association; null if unknown' })
  readonly created_by!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}
