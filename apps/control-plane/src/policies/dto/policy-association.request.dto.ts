import { BooleanField, EnumField, IntegerField, ListQuery, QueryBooleanField, StringField } from '@app/http';
import { ENTITY_TYPES, type PolicyEntityType } from '@app/policies';

const PRIORITY = 'Higher ones are evaluated first among those of the same kind of entity';

export class CreatePolicyAssociationRequest {
  @EnumField(ENTITY_TYPES, { required: true })
  readonly entity_type!: PolicyEntityType;

  @StringField({ required: true, maxLength: 255, description: 'Of an environment the name will do' })
  readonly entity_id!: string;

  @StringField({ required: true, maxLength: 255 })
  readonly policy_id!: string;

  @IntegerField({ empty: 'keep', default: 0, description: PRIORITY })
  readonly priority?: number;

  @BooleanField({ empty: 'keep', default: true })
  readonly enabled?: boolean;
}

/** What an association joins stays as it is; make another one instead. */
export class UpdatePolicyAssociationRequest {
  @IntegerField({ empty: 'keep', description: PRIORITY })
  readonly priority?: number;

  @BooleanField({ empty: 'keep' })
  readonly enabled?: boolean;
}

export class ListPolicyAssociationsQuery extends ListQuery {
  @EnumField(ENTITY_TYPES, { empty: 'keep' })
  readonly entity_type?: PolicyEntityType;

  @StringField({ empty: 'keep' })
  readonly entity_id?: string;

  @StringField({ empty: 'keep' })
  readonly policy_id?: string;

  @QueryBooleanField()
  readonly enabled?: boolean;
}
