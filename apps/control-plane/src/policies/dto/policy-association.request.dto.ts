import { BooleanField, EnumField, IntegerField, ListQuery, PatchOf, QueryBooleanField, StringField } from '@app/http';
import { ENTITY_TYPES, type PolicyEntityType } from '@app/policies';

const PRIORITY =
  'Order of evaluation among associations with the same kind of entity; higher values come first. Default 0 on creation';

export class CreatePolicyAssociationRequest {
  @EnumField(ENTITY_TYPES, { required: true, description: 'Kind of the entity' })
  readonly entity_type!: PolicyEntityType;

  @StringField({
    required: true,
    maxLength: 255,
    description: 'Id of the agent, team or environment; an environment is also found by name',
  })
  readonly entity_id!: string;

  @StringField({ required: true, maxLength: 255 })
  readonly policy_id!: string;

  @IntegerField({ empty: 'keep', default: 0, description: PRIORITY })
  readonly priority?: number;

  @BooleanField({
    empty: 'keep',
    default: true,
    description: 'Whether the policy applies through this association. Default true on creation',
  })
  readonly enabled?: boolean;
}

/** The policy and the entity of an association never change. */
export class UpdatePolicyAssociationRequest extends PatchOf(CreatePolicyAssociationRequest, {
  omit: ['entity_type', 'entity_id', 'policy_id'],
}) {}

export class ListPolicyAssociationsQuery extends ListQuery {
  @EnumField(ENTITY_TYPES, { empty: 'keep', description: 'Kind of the entity' })
  readonly entity_type?: PolicyEntityType;

  @StringField({ empty: 'keep', description: 'Id of the agent, team or environment' })
  readonly entity_id?: string;

  @StringField({ empty: 'keep' })
  readonly policy_id?: string;

  @QueryBooleanField({ description: 'Whether the association is enabled' })
  readonly enabled?: boolean;
}
