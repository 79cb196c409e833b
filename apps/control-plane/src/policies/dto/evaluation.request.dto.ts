import { AnyField, ObjectField, StringField, StringListField } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { MAX_POLICY_IDS } from '@app/policies';

const MAX_ACTION = 200;

export class EvaluatePoliciesRequest {
  @ObjectField({ empty: 'keep', default: {}, alias: 'input', description: 'Also `input`: what the policies judge' })
  readonly input_data?: JsonObject;

  @StringListField({
    empty: 'keep',
    maxItems: MAX_POLICY_IDS,
    description: 'Only these of the policies that apply, and those of them that do not; none: all that apply',
  })
  readonly policy_ids?: string[];
}

export class CheckAuthorizationRequest {
  @StringField({ required: true, maxLength: MAX_ACTION })
  readonly action!: string;

  @AnyField({ empty: 'clear', description: 'Whatever the policies understand: a name, or an object that describes it' })
  readonly resource?: unknown;

  @ObjectField({ empty: 'keep', default: {} })
  readonly context?: JsonObject;
}
