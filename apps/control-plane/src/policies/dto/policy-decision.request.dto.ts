import { EnumField, ListQuery, ObjectField, QueryBooleanField, StringField, TimeField } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { DECISION_KINDS, ENTITY_TYPES, type DecisionKind, type PolicyEntityType } from '@app/policies';

export class ListPolicyDecisionsQuery extends ListQuery {
  @EnumField(DECISION_KINDS, { empty: 'keep', description: 'Occasion of the decision' })
  readonly kind?: DecisionKind;

  @EnumField(ENTITY_TYPES, { empty: 'keep', description: 'Kind of the entity' })
  readonly entity_type?: PolicyEntityType;

  @StringField({ empty: 'keep', description: 'Id of the agent, team or environment' })
  readonly entity_id?: string;

  @StringField({ empty: 'keep', description: 'Id of a policy that was evaluated for the decision' })
  readonly policy_id?: string;

  @QueryBooleanField({ description: 'Result of the decision' })
  readonly allowed?: boolean;

  @StringField({ empty: 'keep' })
  readonly execution_id?: string;

  @TimeField({ empty: 'keep', description: 'Earliest time of the decision, inclusive' })
  readonly from?: Date;

  @TimeField({ empty: 'keep', description: 'Latest time of the decision, exclusive' })
  readonly to?: Date;
}

export class ReplayPolicyDecisionRequest {
  @ObjectField({
    empty: 'keep',
    alias: 'input',
    description:
      'Input of the decision. Required only if it was too large to store; its digest must equal `input_digest`',
  })
  readonly input_data?: JsonObject;
}
