import type { PolicyDecisionFilter, PolicyDecisionSummary } from './policy-decision.types.js';

export interface BacktestPolicy extends Pick<PolicyDecisionFilter, 'entity_type' | 'entity_id' | 'from' | 'to'> {
  readonly policy_content: string;
  /** The policy that the text would replace. Absent: the text is evaluated in addition to the recorded policies. */
  readonly policy_id?: string;
  /** Maximum number of decisions, the newest ones. */
  readonly limit: number;
}

/** A verdict with its first violations. */
export interface ListedVerdict {
  readonly allowed: boolean;
  readonly violations: readonly string[];
}

/** A recorded decision that the text would change. */
export interface ChangedDecision {
  readonly decision: Pick<PolicyDecisionSummary, 'id' | 'at' | 'entity_type' | 'entity_id' | 'execution_id'>;
  /** Null if the entity does not exist any more. */
  readonly entity_name: string | null;
  readonly before: ListedVerdict;
  readonly after: ListedVerdict;
}

/** `tried` is the sum of `same`, `newly_denied`, `newly_allowed` and `failed`. */
export interface Backtest {
  readonly tried: number;
  readonly same: number;
  readonly newly_denied: number;
  readonly newly_allowed: number;
  /** Decisions for which the evaluation did not complete, for example because it exceeded a limit. */
  readonly failed: number;
  /** Decisions without a stored input, and those for which no policy was evaluated because too many applied. */
  readonly skipped: number;
  /** `time` if further decisions were not tried because the time was over. */
  readonly stopped_by: 'time' | null;
  /** All but those that stay the same. */
  readonly changes: readonly ChangedDecision[];
}
