import { OutBoolean, OutInteger, OutString, OutTime } from '@app/http';
import { ENTITY_TYPES } from '@app/policies';

export class PolicyAssociationResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString({ enum: ENTITY_TYPES })
  readonly entity_type!: string;

  @OutString()
  readonly entity_id!: string;

  @OutString()
  readonly policy_id!: string;

  @OutString()
  readonly policy_name!: string;

  @OutInteger({ description: 'Higher ones are evaluated first' })
  readonly priority!: number;

  @OutBoolean()
  readonly enabled!: boolean;

  @OutString({ nullable: true, description: 'Id of a user' })
  readonly created_by!: string | null;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;
}
