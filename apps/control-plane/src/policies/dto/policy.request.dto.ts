import {
  BooleanField,
  CheckedAsWhole,
  EnumField,
  ObjectField,
  QueryBooleanField,
  QueryIntegerField,
  StringField,
  StringListField,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import {
  MAX_POLICY_CONTENT,
  MAX_POLICY_NAME,
  MAX_POLICY_TAGS,
  POLICY_TYPES,
  policyFaults,
  type PolicyType,
} from '@app/policies';

@CheckedAsWhole(policyFaults)
export class CreatePolicyRequest {
  @StringField({ required: true, maxLength: MAX_POLICY_NAME })
  readonly name!: string;

  @StringField({
    empty: 'keep',
    maxLength: MAX_POLICY_CONTENT,
    default: '',
    description: 'A Rego module; kept exactly, once it compiles',
    example: 'package app\n\nallow if input.action == "execute"',
  })
  readonly policy_content?: string;

  @EnumField(POLICY_TYPES, { empty: 'keep', default: 'rego' })
  readonly policy_type?: PolicyType;

  @StringField()
  readonly description?: string | null;

  @BooleanField({ empty: 'keep', default: true })
  readonly enabled?: boolean;

  @StringListField({ empty: 'keep', maxItems: MAX_POLICY_TAGS })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep' })
  readonly metadata?: JsonObject;
}

@CheckedAsWhole(policyFaults)
export class UpdatePolicyRequest {
  @StringField({ empty: 'keep', maxLength: MAX_POLICY_NAME })
  readonly name?: string;

  @StringField({
    empty: 'keep',
    maxLength: MAX_POLICY_CONTENT,
    description: 'A Rego module; nothing ("" included) keeps the present one',
  })
  readonly policy_content?: string;

  @EnumField(POLICY_TYPES, { empty: 'keep' })
  readonly policy_type?: PolicyType;

  @StringField()
  readonly description?: string | null;

  @BooleanField({ empty: 'keep' })
  readonly enabled?: boolean;

  @StringListField({ empty: 'keep', maxItems: MAX_POLICY_TAGS })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep' })
  readonly metadata?: JsonObject;
}

export class ValidatePolicyRequest {
  @StringField({
    empty: 'keep',
    maxLength: MAX_POLICY_CONTENT,
    description: 'A text to look at in place of the stored one, which stays',
  })
  readonly policy_content?: string;

  @ObjectField({ empty: 'keep', alias: 'input', description: 'Also `input`: what the policy is to be asked about' })
  readonly input_data?: JsonObject;
}

/** The page of a list whose query does not say. */
export const POLICY_PAGE = { page: 1, limit: 20 };

export class ListPoliciesQuery {
  @QueryIntegerField({ min: 1, default: POLICY_PAGE.page })
  readonly page?: number;

  @QueryIntegerField({ min: 1, max: 100, default: POLICY_PAGE.limit, description: 'Policies on a page' })
  readonly limit?: number;

  @QueryBooleanField()
  readonly enabled?: boolean;

  @StringField({ empty: 'keep', maxLength: 255, description: 'Part of the name or description, in any case' })
  readonly search?: string;
}
