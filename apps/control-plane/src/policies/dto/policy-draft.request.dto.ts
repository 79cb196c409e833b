import { BooleanField, EnumField, IntegerField, ObjectField, StringField, TimeField } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { ENTITY_TYPES, MAX_POLICY_CONTENT, type PolicyEntityType } from '@app/policies';

/** The largest and the default number of decisions of a backtest. */
export const BACKTEST_LIMIT = { max: 500, default: 200 };

export class FormatPolicyRequest {
  @StringField({
    required: true,
    maxLength: MAX_POLICY_CONTENT,
    description: 'Source of a policy, a Rego module',
    example: 'package app\n\nallow if input.action == "execute"',
  })
  readonly policy_content!: string;
}

export class ValidatePolicyDraftRequest extends FormatPolicyRequest {
  @ObjectField({ empty: 'keep', alias: 'input', description: 'Input for a trial evaluation. Default: no trial' })
  readonly input_data?: JsonObject;

  @BooleanField({
    empty: 'keep',
    default: false,
    description: 'Whether the response contains the value of the whole package for the input. Default false',
  })
  readonly explain?: boolean;
}

export class BacktestPolicyRequest extends FormatPolicyRequest {
  @StringField({
    empty: 'keep',
    description:
      'Id of the policy that the source would replace; only decisions for which it was evaluated are tried. Default: the ' +
      'source is evaluated in addition to the recorded policies',
  })
  readonly policy_id?: string;

  @EnumField(ENTITY_TYPES, { empty: 'keep', description: 'Kind of the entity of the decisions. Default: all kinds' })
  readonly entity_type?: PolicyEntityType;

  @StringField({ empty: 'keep', description: 'Id of the agent, team or environment of the decisions. Default: all' })
  readonly entity_id?: string;

  @TimeField({ empty: 'keep', description: 'Earliest time of the decisions, inclusive' })
  readonly from?: Date;

  @TimeField({ empty: 'keep', description: 'Latest time of the decisions, exclusive' })
  readonly to?: Date;

  @IntegerField({
    empty: 'keep',
    min: 1,
    max: BACKTEST_LIMIT.max,
    default: BACKTEST_LIMIT.default,
    description: 'Maximum number of decisions, the newest ones, 1 to 500. Default 200',
  })
  readonly limit?: number;
}
