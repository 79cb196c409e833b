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
import { DECISION_KINDS, ENTITY_TYPES, VERDICT_FAILURES } from '@app/policies';
import { PolicyResultResponse } from './evaluation.response.dto.js';

export class DecidingPolicyResponse extends PolicyResultResponse {
  @ResponseString()
  readonly policy_id!: string;

  @ResponseString({
    nullable: true,
    enum: VERDICT_FAILURES,
    description:
      'Why the evaluation was not completed, which counts as a denial: `compile`, `evaluation` (error in the policy), or a limit (`steps`, `time`, `depth`, `memory`); null if it completed',
  })
  readonly failure!: string | null;
}

class CombinedVerdictResponse {
  @ResponseBoolean()
  readonly allowed!: boolean;

  @ResponseStringList()
  readonly violations!: readonly string[];

  @ResponseList(DecidingPolicyResponse, { description: 'Results by policy, in the order of evaluation' })
  readonly policies!: readonly DecidingPolicyResponse[];
}

/** A recorded decision, which never changes. */
export class PolicyDecisionSummaryResponse extends CombinedVerdictResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({
    enum: DECISION_KINDS,
    description:
      'Occasion of the decision: `execution` (start of an execution), `evaluation` or `authorization` (request to evaluate)',
  })
  readonly kind!: string;

  @ResponseString({ nullable: true, description: '`action` of the input if it is a string, else null' })
  readonly action!: string | null;

  @ResponseString({ enum: ENTITY_TYPES, description: 'Kind of the entity' })
  readonly entity_type!: string;

  @ResponseString({ description: 'Id of the agent, team or environment' })
  readonly entity_id!: string;

  @ResponseString({ description: 'SHA-256 of the input in canonical JSON (RFC 8785), in hexadecimal' })
  readonly input_digest!: string;

  @ResponseInteger({ description: 'Size of the input as JSON, in bytes' })
  readonly input_bytes!: number;

  @ResponseString({ nullable: true, description: 'Execution id; null for decisions without an execution' })
  readonly execution_id!: string | null;

  @ResponseString({
    nullable: true,
    description: 'Id of the user who requested the evaluation, or for whom the execution runs; null if unknown',
  })
  readonly user_id!: string | null;

  @ResponseString({ nullable: true })
  readonly user_email!: string | null;

  @ResponseString({ nullable: true, description: 'Id of the API key of the request; null for executions' })
  readonly key_id!: string | null;

  @ResponseTime({ description: 'Time of the decision, which is also the current time within the policies' })
  readonly at!: string;
}

export class PolicyDecisionResponse extends PolicyDecisionSummaryResponse {
  @ResponseObject({
    nullable: true,
    description:
      'Input of the policies; null if it was too large to store, and for executions if the API key lacks `tasks:read`',
  })
  readonly input!: JsonObject | null;
}

export class ReplayedDecisionResponse {
  @ResponseBoolean({ description: 'Whether every policy returned the same result again' })
  readonly same!: boolean;

  @ResponseNested(PolicyDecisionSummaryResponse, { description: 'Recorded decision' })
  readonly recorded!: PolicyDecisionSummaryResponse;

  @ResponseNested(CombinedVerdictResponse, { description: 'Result of the repeated evaluation' })
  readonly replayed!: CombinedVerdictResponse;
}
