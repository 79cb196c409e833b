import {
  BooleanField,
  CursorQuery,
  EnumField,
  NameFilterField,
  ObjectField,
  PatchOf,
  QueryBooleanField,
  QueryIntegerField,
  startsOnce,
  StringField,
  StringListField,
  ValidateObject,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { MAX_POLICY_CONTENT, MAX_POLICY_NAME, MAX_POLICY_TAGS, POLICY_TYPES, type PolicyType } from '@app/policies';

export class CreatePolicyRequest {
  @StringField({ required: true, maxLength: MAX_POLICY_NAME, description: 'Name' })
  readonly name!: string;

  @StringField({
    empty: 'keep',
    maxLength: MAX_POLICY_CONTENT,
    default: '',
    description: 'Source of the policy, a Rego module that compiles; stored unchanged. Default empty on creation',
    example: 'package app\n\nallow if input.action == "execute"',
  })
  readonly policy_content?: string;

  @EnumField(POLICY_TYPES, { empty: 'keep', default: 'rego', description: 'Policy language; always `rego`' })
  readonly policy_type?: PolicyType;

  @StringField()
  readonly description?: string | null;

  @BooleanField({ empty: 'keep', default: true, description: 'Whether the policy applies. Default true on creation' })
  readonly enabled?: boolean;

  @StringListField({ empty: 'keep', maxItems: MAX_POLICY_TAGS })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep' })
  readonly metadata?: JsonObject;
}

export class UpdatePolicyRequest extends PatchOf(CreatePolicyRequest, {
  change: {
    policy_content: {
      description:
        'Source of the policy, a Rego module that compiles; stored unchanged. An empty string keeps the stored one',
    },
  },
}) {}

export class ValidatePolicyRequest {
  @StringField({
    empty: 'keep',
    maxLength: MAX_POLICY_CONTENT,
    description: 'Source to validate. Default: the stored one',
  })
  readonly policy_content?: string;

  @ObjectField({ empty: 'keep', alias: 'input', description: 'Input for a trial evaluation. Default: no trial' })
  readonly input_data?: JsonObject;
}

/** The default page of a list. */
export const POLICY_PAGE = { page: 1, limit: 20 };

@ValidateObject(startsOnce('page'))
export class ListPoliciesQuery extends CursorQuery {
  @QueryIntegerField({ min: 1, default: POLICY_PAGE.page, description: 'Page number, from 1. Default 1' })
  readonly page?: number;

  @QueryIntegerField({
    min: 1,
    max: 100,
    default: POLICY_PAGE.limit,
    description: 'Maximum number of policies on a page, 1 to 100. Default 20',
  })
  readonly limit?: number;

  @QueryBooleanField({ description: 'Whether the policy is enabled' })
  readonly enabled?: boolean;

  @NameFilterField()
  readonly name?: string;

  @StringField({ empty: 'keep', maxLength: 255, description: 'Part of the name or description; case is ignored' })
  readonly search?: string;
}
