import {
  ResponseBoolean,
  ResponseInteger,
  ResponseList,
  ResponseObject,
  ResponseNested,
  ResponseString,
  ResponseStringList,
  ResponseTime,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { ORIGIN_TYPES, POLICY_TYPES } from '@app/policies';

export class PolicyResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseBoolean({ description: 'Whether the policy applies; a disabled policy applies nowhere' })
  readonly enabled!: boolean;

  @ResponseStringList()
  readonly tags!: readonly string[];

  @ResponseInteger({ description: 'Version number, from 1; each update increments it' })
  readonly version!: number;

  @ResponseString({ enum: POLICY_TYPES, description: 'Policy language; always `rego`' })
  readonly policy_type!: string;

  @ResponseString({ description: 'Source of the policy, a Rego module, exactly as sent' })
  readonly policy_content!: string;

  @ResponseObject()
  readonly metadata!: JsonObject;

  @ResponseInteger({
    description: 'Number of associations with agents, teams and environments, disabled ones included',
  })
  readonly association_count!: number;

  @ResponseString({ nullable: true, description: 'Id of the user who created the policy; null if unknown' })
  readonly created_by!: string | null;

  @ResponseString({ nullable: true, description: 'Id of the user who changed the policy last; null if unknown' })
  readonly updated_by!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

export class PolicyPageResponse {
  @ResponseList(PolicyResponse, { description: 'Policies of the page, newest first' })
  readonly policies!: readonly PolicyResponse[];

  @ResponseInteger({ nullable: true, description: 'Number of policies on all pages; null with `total=false`' })
  readonly total!: number | null;

  @ResponseInteger({ description: 'Page number, from 1; 1 with `cursor`' })
  readonly page!: number;

  @ResponseInteger({ description: 'Maximum number of policies on a page' })
  readonly limit!: number;

  @ResponseBoolean({ description: 'Whether more pages follow' })
  readonly has_more!: boolean;

  @ResponseString({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  readonly next_cursor!: string | null;
}

export class PolicyVersionSummaryResponse {
  @ResponseString()
  readonly policy_id!: string;

  @ResponseInteger({ description: 'Version number, from 1' })
  readonly version!: number;

  @ResponseString({ description: 'Name of the policy in this version' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseBoolean({ description: 'Whether the policy was enabled in this version' })
  readonly enabled!: boolean;

  @ResponseStringList()
  readonly tags!: readonly string[];

  @ResponseString({ enum: POLICY_TYPES, description: 'Policy language; always `rego`' })
  readonly policy_type!: string;

  @ResponseObject()
  readonly metadata!: JsonObject;

  @ResponseString({ nullable: true, description: 'Id of the user who made this version; null if unknown' })
  readonly created_by!: string | null;

  @ResponseTime({ description: 'Creation time of this version' })
  readonly created_at!: string;
}

export class PolicyVersionResponse extends PolicyVersionSummaryResponse {
  @ResponseString()
  readonly policy_content!: string;
}

export class PolicyFaultResponse {
  @ResponseString({ example: 'rego_parse_error', description: 'Error code' })
  readonly code!: string;

  @ResponseString({ description: 'Error message' })
  readonly message!: string;

  @ResponseInteger({ description: 'Line in the source, from 1' })
  readonly line!: number;

  @ResponseInteger({ description: 'Column in the line, from 1' })
  readonly column!: number;
}

export class PolicyTrialResponse {
  @ResponseBoolean({ description: 'Whether the policy allows the input and reports no violation' })
  readonly allowed!: boolean;

  @ResponseStringList({ description: 'Violations that the policy reports, as text' })
  readonly violations!: readonly string[];
}

export class PolicyValidationResponse {
  @ResponseBoolean({ description: 'Whether the source compiles' })
  readonly valid!: boolean;

  @ResponseList(PolicyFaultResponse, { description: 'Compile errors; empty if `valid`' })
  readonly errors!: readonly PolicyFaultResponse[];

  @ResponseStringList({
    description:
      'Reasons why source that compiles does not decide as its author probably expects, such as a rule `violation` instead of `violations`',
  })
  readonly warnings!: readonly string[];

  @ResponseNested(PolicyTrialResponse, {
    nullable: true,
    description: 'Result for `input_data`; null without it or if the source does not compile',
  })
  readonly result!: PolicyTrialResponse | null;
}

export class PolicySourceResponse {
  @ResponseString({ enum: ORIGIN_TYPES, description: 'Kind of the entity' })
  readonly entity_type!: string;

  @ResponseString({ description: 'Id of the agent, team, environment or project' })
  readonly entity_id!: string;
}

export class ResolvedPolicyResponse {
  @ResponseString()
  readonly policy_id!: string;

  @ResponseString()
  readonly policy_name!: string;

  @ResponseInteger({ description: 'Current version number of the policy' })
  readonly version!: number;

  @ResponseString()
  readonly policy_content!: string;

  @ResponseNested(PolicySourceResponse, { description: 'First entity that makes the policy apply' })
  readonly source!: PolicySourceResponse;

  @ResponseList(PolicySourceResponse, {
    description: 'All entities that make the policy apply, in order of evaluation',
  })
  readonly sources!: readonly PolicySourceResponse[];
}
