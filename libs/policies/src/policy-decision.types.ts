import type { JsonObject } from '@app/kernel';
import type { PolicyEntityType } from './policy.types.js';
import type { PolicyResult } from './verdict.types.js';

/** What a decision was made for: an execution that was about to start, or one of the two questions anybody may ask. */
export const DECISION_KINDS = ['execution', 'evaluation', 'authorization'] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];

/** A decision without its input, for lists. */
export interface PolicyDecisionSummary {
  readonly id: string;
  readonly organization_id: string;
  readonly kind: DecisionKind;
  /** `input.action`, where it is a text. */
  readonly action: string | null;
  readonly entity_type: PolicyEntityType;
  readonly entity_id: string;
  readonly allowed: boolean;
  readonly violations: readonly string[];
  /** The verdict of each policy, with the version it was asked in; in order of evaluation. */
  readonly policies: readonly PolicyResult[];
  /** SHA-256 of the input in canonical form (RFC 8785), as hexadecimal digits. */
  readonly input_digest: string;
  /** Of the input as JSON. */
  readonly input_bytes: number;
  readonly execution_id: string | null;
  /** Who asked, or whom the execution runs for. */
  readonly user_id: string | null;
  readonly user_email: string | null;
  /** The key that asked; null for executions. */
  readonly key_id: string | null;
  /** When it was made, which is also the time it was for the policies. */
  readonly at: Date;
}

export interface PolicyDecision extends PolicyDecisionSummary {
  /** Null where it was too large to be kept. */
  readonly input: JsonObject | null;
}

export interface PolicyDecisionFilter {
  readonly kind?: DecisionKind;
  readonly entity_type?: PolicyEntityType;
  readonly entity_id?: string;
  readonly policy_id?: string;
  readonly allowed?: boolean;
  readonly execution_id?: string;
  /** Not earlier. */
  readonly from?: Date;
  /** Earlier. */
  readonly to?: Date;
}

/** What of a decision is known before it is made. */
export interface DecisionCase extends Pick<
  PolicyDecisionSummary,
  'kind' | 'entity_type' | 'entity_id' | 'execution_id' | 'user_id' | 'user_email' | 'key_id'
> {
  readonly input: JsonObject;
}

export interface EvaluatePolicies {
  readonly input: JsonObject;
  /** Narrows to these, and adds those of them that do not apply by themselves. None: all that apply. */
  readonly policy_ids: readonly string[];
}

export interface CheckAuthorization {
  readonly action: string;
  /** Whatever the policies understand: a name, or an object that describes it. */
  readonly resource: unknown;
  readonly context: JsonObject;
}

/** A decision made again, of the same policies, by the same input, at the same time. */
export interface ReplayedDecision {
  /** Whether every policy said the same as then. */
  readonly same: boolean;
  readonly recorded: PolicyDecisionSummary;
  readonly replayed: Pick<PolicyDecisionSummary, 'allowed' | 'violations' | 'policies'>;
}
