import { OutBoolean, OutInteger, OutMap, OutNumber, OutOne, OutString, OutStrings } from '@app/http';
import { ENTITY_TYPES } from '@app/policies';

export class PolicySourceResponse {
  @OutString({ enum: ENTITY_TYPES })
  readonly entity_type!: string;

  @OutString()
  readonly entity_id!: string;
}

export class PolicyResultResponse {
  @OutString()
  readonly policy_name!: string;

  @OutInteger({ description: 'The version that was evaluated' })
  readonly version!: number;

  @OutBoolean()
  readonly allowed!: boolean;

  @OutStrings()
  readonly violations!: readonly string[];

  @OutOne(PolicySourceResponse, { description: 'Why the policy applies' })
  readonly source!: PolicySourceResponse;

  @OutNumber({ description: 'Milliseconds of evaluation' })
  readonly duration_ms!: number;
}

export class PolicyEvaluationResponse {
  @OutBoolean({ description: 'Every policy allows, and none has violations' })
  readonly allowed!: boolean;

  @OutStrings({ description: 'Of all policies, in order of evaluation' })
  readonly violations!: readonly string[];

  @OutMap(PolicyResultResponse, { description: 'By id of the policy' })
  readonly policy_results!: Readonly<Record<string, PolicyResultResponse>>;
}

export class AuthorizationResponse {
  @OutBoolean()
  readonly authorized!: boolean;

  @OutStrings()
  readonly violations!: readonly string[];

  @OutInteger({ description: 'How many policies were asked' })
  readonly policies_evaluated!: number;
}
