import { OutBoolean, OutInteger, OutMany, OutObject, OutOne, OutString, OutStrings, OutTime } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { ENTITY_TYPES, POLICY_TYPES } from '@app/policies';

export class PolicyResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString()
  readonly name!: string;

  @OutString({ nullable: true })
  readonly description!: string | null;

  @OutBoolean({ description: 'A policy that is not enabled applies nowhere' })
  readonly enabled!: boolean;

  @OutStrings()
  readonly tags!: readonly string[];

  @OutInteger({ description: '1 at first, one more with each update' })
  readonly version!: number;

  @OutString({ enum: POLICY_TYPES })
  readonly policy_type!: string;

  @OutString({ description: 'Exactly as it was sent' })
  readonly policy_content!: string;

  @OutObject()
  readonly metadata!: JsonObject;

  @OutInteger({ description: 'Associations with agents, teams and environments, enabled or not' })
  readonly association_count!: number;

  @OutString({ nullable: true, description: 'Id of a user' })
  readonly created_by!: string | null;

  @OutString({ nullable: true, description: 'Id of a user' })
  readonly updated_by!: string | null;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;
}

export class PolicyPageResponse {
  @OutMany(PolicyResponse, { description: 'Newest first' })
  readonly policies!: readonly PolicyResponse[];

  @OutInteger({ description: 'Policies of the whole list' })
  readonly total!: number;

  @OutInteger()
  readonly page!: number;

  @OutInteger()
  readonly limit!: number;

  @OutBoolean()
  readonly has_more!: boolean;
}

export class PolicyVersionSummaryResponse {
  @OutString()
  readonly policy_id!: string;

  @OutInteger()
  readonly version!: number;

  @OutString()
  readonly name!: string;

  @OutString({ nullable: true })
  readonly description!: string | null;

  @OutBoolean()
  readonly enabled!: boolean;

  @OutStrings()
  readonly tags!: readonly string[];

  @OutString({ enum: POLICY_TYPES })
  readonly policy_type!: string;

  @OutObject()
  readonly metadata!: JsonObject;

  @OutString({ nullable: true, description: 'Id of the user who made this version' })
  readonly created_by!: string | null;

  @OutTime({ description: 'When this version was made' })
  readonly created_at!: string;
}

export class PolicyVersionResponse extends PolicyVersionSummaryResponse {
  @OutString()
  readonly policy_content!: string;
}

export class PolicyFaultResponse {
  @OutString({ example: 'rego_parse_error' })
  readonly code!: string;

  @OutString()
  readonly message!: string;

  @OutInteger({ description: 'From 1' })
  readonly line!: number;

  @OutInteger({ description: 'From 1' })
  readonly column!: number;
}

export class PolicyTrialResponse {
  @OutBoolean()
  readonly allowed!: boolean;

  @OutStrings()
  readonly violations!: readonly string[];
}

export class PolicyValidationResponse {
  @OutBoolean({ description: 'Whether the text compiles' })
  readonly valid!: boolean;

  @OutMany(PolicyFaultResponse)
  readonly errors!: readonly PolicyFaultResponse[];

  @OutOne(PolicyTrialResponse, { nullable: true, description: 'What it says to the input; null without one' })
  readonly result!: PolicyTrialResponse | null;
}

export class PolicySourceResponse {
  @OutString({ enum: ENTITY_TYPES })
  readonly entity_type!: string;

  @OutString()
  readonly entity_id!: string;
}

export class ResolvedPolicyResponse {
  @OutString()
  readonly policy_id!: string;

  @OutString()
  readonly policy_name!: string;

  @OutInteger()
  readonly version!: number;

  @OutString()
  readonly policy_content!: string;

  @OutOne(PolicySourceResponse, { description: 'The entity whose association makes it apply' })
  readonly source!: PolicySourceResponse;
}
