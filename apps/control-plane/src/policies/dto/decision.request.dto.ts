import { EnumField, ListQuery, ObjectField, QueryBooleanField, StringField, TimeField } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { DECISION_KINDS, ENTITY_TYPES, type DecisionKind, type PolicyEntityType } from '@app/policies';

export class ListPolicyDecisionsQuery extends ListQuery {
  @EnumField(DECISION_KINDS, { empty: 'keep' })
  readonly kind?: DecisionKind;

  @EnumField(ENTITY_TYPES, { empty: 'keep' })
  readonly entity_type?: PolicyEntityType;

  @StringField({ empty: 'keep' })
  readonly entity_id?: string;

  @StringField({ empty: 'keep', description: 'Decisions this policy had a say in' })
  readonly policy_id?: string;

  @QueryBooleanField()
  readonly allowed?: boolean;

  @StringField({ empty: 'keep' })
  readonly execution_id?: string;

  @TimeField({ empty: 'keep', description: 'Made at this time or later' })
  readonly from?: Date;

  @TimeField({ empty: 'keep', description: 'Made before this time' })
  readonly to?: Date;
}

export class ReplayPolicyDecisionRequest {
  @ObjectField({
    empty: 'keep',
    alias: 'input',
    description: 'Also `input`: needed only where it was too large to be kept; it must be the very one',
  })
  readonly input_data?: JsonObject;
}
