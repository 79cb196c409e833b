import {
  ResponseBoolean,
  ResponseInteger,
  ResponseList,
  ResponseMap,
  ResponseNumber,
  ResponseNested,
  ResponseString,
  ResponseStringList,
} from '@app/http';
import { PolicySourceResponse } from './policy.response.dto.js';

export class PolicyResultResponse {
  @ResponseString()
  readonly policy_name!: string;

  @ResponseInteger({ description: 'Evaluated version of the policy' })
  readonly version!: number;

  @ResponseBoolean({ description: 'Whether the policy allows the action and reports no violation' })
  readonly allowed!: boolean;

  @ResponseStringList({ description: 'Violations that the policy reports, as text' })
  readonly violations!: readonly string[];

  @ResponseNested(PolicySourceResponse, { description: 'First entity that makes the policy apply' })
  readonly source!: PolicySourceResponse;

  @ResponseList(PolicySourceResponse, {
    description: 'All entities that make the policy apply, in order of evaluation',
  })
  readonly sources!: readonly PolicySourceResponse[];

  @ResponseNumber({ description: 'Duration of the evaluation in milliseconds' })
  readonly duration_ms!: number;
}

export class PolicyEvaluationResponse {
  @ResponseBoolean({
    description: 'Whether all policies allow the action: none denies it and none reports a violation',
  })
  readonly allowed!: boolean;

  @ResponseStringList({ description: 'Violations of all policies, in the order of evaluation' })
  readonly violations!: readonly string[];

  @ResponseMap(PolicyResultResponse, { description: 'Results by policy id' })
  readonly policy_results!: Readonly<Record<string, PolicyResultResponse>>;
}

export class AuthorizationResponse {
  @ResponseBoolean({
    description: 'Whether all policies allow the action: none denies it and none reports a violation',
  })
  readonly authorized!: boolean;

  @ResponseStringList()
  readonly violations!: readonly string[];

  @ResponseInteger({ description: 'Number of evaluated policies' })
  readonly policies_evaluated!: number;
}
