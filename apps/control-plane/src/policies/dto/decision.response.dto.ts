import { OutBoolean, OutInteger, OutMany, OutObject, OutOne, OutString, OutStrings, OutTime } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { DECISION_KINDS, ENTITY_TYPES, VERDICT_FAILURES } from '@app/policies';
import { PolicyResultResponse } from './evaluation.response.dto.js';

export class DecidingPolicyResponse extends PolicyResultResponse {
  @OutString()
  readonly policy_id!: string;

  @OutString({
    nullable: true,
    enum: VERDICT_FAILURES,
    description: 'Why the policy could not be evaluated to its end, which denies; null where it was',
  })
  readonly failure!: string | null;
}

class JointVerdictResponse {
  @OutBoolean()
  readonly allowed!: boolean;

  @OutStrings()
  readonly violations!: readonly string[];

  @OutMany(DecidingPolicyResponse, { description: 'In order of evaluation' })
  readonly policies!: readonly DecidingPolicyResponse[];
}

/** A decision as it was made; nothing of it changes. */
export class PolicyDecisionSummaryResponse extends JointVerdictResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString({ enum: DECISION_KINDS, description: 'What it was made for' })
  readonly kind!: string;

  @OutString({ nullable: true, description: '`action` of the input, where it is a text' })
  readonly action!: string | null;

  @OutString({ enum: ENTITY_TYPES })
  readonly entity_type!: string;

  @OutString()
  readonly entity_id!: string;

  @OutString({ description: 'SHA-256 of the input in canonical form (RFC 8785)' })
  readonly input_digest!: string;

  @OutInteger({ description: 'Size of the input as JSON' })
  readonly input_bytes!: number;

  @OutString({ nullable: true })
  readonly execution_id!: string | null;

  @OutString({ nullable: true, description: 'Who asked, or whom the execution runs for' })
  readonly user_id!: string | null;

  @OutString({ nullable: true })
  readonly user_email!: string | null;

  @OutString({ nullable: true, description: 'The key that asked; null for executions' })
  readonly key_id!: string | null;

  @OutTime({ description: 'When it was made, which was also the time it was for the policies' })
  readonly at!: string;
}

export class PolicyDecisionResponse extends PolicyDecisionSummaryResponse {
  @OutObject({
    nullable: true,
    description: 'Null where it was too large to be kept; of an execution also null without tasks:read',
  })
  readonly input!: JsonObject | null;
}

export class ReplayedDecisionResponse {
  @OutBoolean({ description: 'Whether every policy said the same as then' })
  readonly same!: boolean;

  @OutOne(PolicyDecisionSummaryResponse)
  readonly recorded!: PolicyDecisionSummaryResponse;

  @OutOne(JointVerdictResponse)
  readonly replayed!: JointVerdictResponse;
}
