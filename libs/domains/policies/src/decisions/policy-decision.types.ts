import type { JsonObject } from '@app/kernel';
import type { PolicyEntityType } from '../policies/policy.types.js';
import type { PolicyResult } from '../evaluation/verdict.types.js';

/** The start of an execution, or a request to one of the two evaluation routes. */
export const DECISION_KINDS = ['execution', 'evaluation', 'authorization'] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];

/** A decision without its input, for lists. */
export interface PolicyDecisionSummary {
  readonly id: string;
  readonly organization_id: string;
  readonly kind: DecisionKind;
  /** `input.action` if it is a string, truncated to 200 characters. */
  readonly action: string | null;
  readonly entity_type: PolicyEntityType;
  readonly entity_id: string;
  readonly allowed: boolean;
  readonly violations: readonly string[];
  /** The verdict and version of each policy, in order of evaluation. */
  readonly policies: readonly PolicyResult[];
  /** SHA-256 of the input in canonical form (RFC 8785), in hexadecimal. */
  readonly input_digest: string;
  /** Size of the input as JSON. */
  readonly input_bytes: number;
  readonly execution_id: string | null;
  /** The user who sent the request, or for whom the execution runs. */
  readonly user_id: string | null;
  readonly user_email: string | null;
  /** The key of the request; null for executions. */
  readonly key_id: string | null;
  /** The time of the decision and of the evaluation. */
  readonly at: Date;
}

export interface PolicyDecision extends PolicyDecisionSummary {
  /** Null if it was too large to be stored. */
  readonly input: JsonObject | null;
}

/** The row of a decision. */
export interface StoredPolicyDecision extends PolicyDecision {
  /** The ids in `policies`, in a separate column for the index. */
  readonly policy_ids: readonly string[];
}

export interface PolicyDecisionFilter {
  readonly kind?: DecisionKind;
  readonly entity_type?: PolicyEntityType;
  readonly entity_id?: string;
  readonly policy_id?: string;
  readonly allowed?: boolean;
  readonly execution_id?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
}

/** The input of a decision and the fields that do not depend on the verdict. */
export interface DecisionRequest extends Pick<
  PolicyDecisionSummary,
  'kind' | 'entity_type' | 'entity_id' | 'execution_id' | 'user_id' | 'user_email' | 'key_id'
> {
  readonly input: JsonObject;
}

export interface EvaluatePolicies {
  readonly input: JsonObject;
  /**
   * Limits the evaluation to these policies, whether or not they apply. If empty, all policies that apply are
   * evaluated.
   */
  readonly policy_ids: readonly string[];
}

export interface CheckAuthorization {
  readonly action: string;
  /** Any JSON value. The policies define its meaning. */
  readonly resource: unknown;
  readonly context: JsonObject;
}

/** A recorded decision and its repetition with the same policy versions, input, time and random seed. */
export interface ReplayedDecision {
  /** Whether both have the same verdict for every policy. */
  readonly same: boolean;
  readonly recorded: PolicyDecisionSummary;
  readonly replayed: Pick<PolicyDecisionSummary, 'allowed' | 'violations' | 'policies'>;
}
