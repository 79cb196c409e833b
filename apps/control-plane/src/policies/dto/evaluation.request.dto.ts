import { AnyField, ObjectField, StringField, StringListField } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { MAX_POLICY_IDS } from '@app/policies';

const MAX_ACTION_LENGTH = 200;

export class EvaluatePoliciesRequest {
  @ObjectField({ empty: 'keep', default: {}, alias: 'input', description: 'Input of the policies. Default `{}`' })
  readonly input_data?: JsonObject;

  @StringListField({
    empty: 'keep',
    maxItems: MAX_POLICY_IDS,
    description: 'Ids of the policies to evaluate, whether or not they apply to the entity. Default: all that apply',
  })
  readonly policy_ids?: string[];
}

export class CheckAuthorizationRequest {
  @StringField({ required: true, maxLength: MAX_ACTION_LENGTH, description: 'Action, for example `execute`' })
  readonly action!: string;

  @AnyField({ empty: 'clear', description: 'Resource of the action: a name, or an object that describes it' })
  readonly resource?: unknown;

  @ObjectField({ empty: 'keep', default: {}, description: 'Further input of the policies. Default `{}`' })
  readonly context?: JsonObject;
}
