import {
  ResponseInteger,
  ResponseList,
  ResponseNested,
  ResponseNumber,
  ResponseObject,
  ResponseString,
  ResponseTime,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { ENTITY_TYPES } from '@app/policies';
import { PolicyTrialResponse, PolicyValidationResponse } from './policy.response.dto.js';

export class PolicyDraftValidationResponse extends PolicyValidationResponse {
  @ResponseObject({
    nullable: true,
    description:
      'Value of the package for `input_data`, with every rule that has one. Null without `explain`, if the evaluation ' +
      'failed, and if it has more than 64 Ki characters as JSON',
  })
  readonly output!: JsonObject | null;

  @ResponseNumber({
    nullable: true,
    description: 'Duration of the evaluation in milliseconds; null if nothing was evaluated',
  })
  readonly duration_ms!: number | null;
}

export class FormattedPolicyResponse {
  @ResponseString({ description: 'The source in the standard layout' })
  readonly policy_content!: string;
}

export class BacktestChangeResponse {
  @ResponseString({ description: 'Id of the recorded decision' })
  readonly decision_id!: string;

  @ResponseTime({ description: 'Time of the decision' })
  readonly at!: string;

  @ResponseString({ enum: ENTITY_TYPES, description: 'Kind of the entity' })
  readonly entity_type!: string;

  @ResponseString({ description: 'Id of the agent, team or environment' })
  readonly entity_id!: string;

  @ResponseString({ nullable: true, description: 'Name of the entity; null if it does not exist any more' })
  readonly entity_name!: string | null;

  @ResponseString({
    nullable: true,
    description: 'Id of the execution whose start was decided; null for other decisions',
  })
  readonly execution_id!: string | null;

  @ResponseNested(PolicyTrialResponse, {
    description: 'The recorded result. At most 5 violations are listed, the others are counted',
  })
  readonly before!: PolicyTrialResponse;

  @ResponseNested(PolicyTrialResponse, { description: 'The result with the source' })
  readonly after!: PolicyTrialResponse;
}

export class BacktestResponse {
  @ResponseInteger({ description: 'Number of decisions that were evaluated: the sum of the four counts below' })
  readonly tried!: number;

  @ResponseInteger({ description: 'Decisions that stay allowed or denied' })
  readonly same!: number;

  @ResponseInteger({ description: 'Decisions that were allowed and would be denied' })
  readonly newly_denied!: number;

  @ResponseInteger({ description: 'Decisions that were denied and would be allowed' })
  readonly newly_allowed!: number;

  @ResponseInteger({ description: 'Decisions for which the evaluation of the source does not complete; it would deny' })
  readonly failed!: number;

  @ResponseInteger({
    description:
      'Decisions that cannot be tried: their input was too large to store, or no policy was evaluated because too many applied',
  })
  readonly skipped!: number;

  @ResponseString({
    nullable: true,
    enum: ['time'],
    description: '`time` if older decisions were not tried because 5 seconds had passed; otherwise null',
  })
  readonly stopped_by!: string | null;

  @ResponseList(BacktestChangeResponse, { description: 'All decisions except those that stay the same, newest first' })
  readonly changes!: readonly BacktestChangeResponse[];
}
