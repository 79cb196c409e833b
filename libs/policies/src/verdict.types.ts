import type { JsonObject } from '@app/kernel';
import type { PolicySource } from './policy.types.js';

/** Why a policy could not say anything, which denies. */
export const VERDICT_FAILURES = ['compile', 'evaluation', 'steps', 'time', 'depth', 'memory'] as const;
export type VerdictFailure = (typeof VERDICT_FAILURES)[number];

/** What one policy says. */
export interface Verdict {
  readonly allowed: boolean;
  readonly violations: readonly string[];
  /** Null where the policy was evaluated to its end. */
  readonly failure: VerdictFailure | null;
}

/** The verdict of one of the policies that apply. */
export interface PolicyResult extends Verdict {
  readonly policy_id: string;
  readonly policy_name: string;
  readonly version: number;
  readonly source: PolicySource;
  readonly duration_ms: number;
}

/** What all policies that apply say together: every one has to allow. */
export interface JointVerdict {
  readonly allowed: boolean;
  /** Of all policies, in order of evaluation. */
  readonly violations: readonly string[];
  readonly policies: readonly PolicyResult[];
}

/** What is asked. The same policies answer the same question in the same way, whenever and wherever it is asked. */
export interface Question {
  readonly input: JsonObject;
  /** What time it is for the policies. */
  readonly at: Date;
  /** Determines what policies draw at random. */
  readonly seed: string;
}
