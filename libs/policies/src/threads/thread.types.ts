import type { PolicyConfig } from '@app/config';
import type { Fault } from '@app/rego';
import type { AppliedPolicy } from '../policies/policy.types.js';
import type { EvaluationRequest, PolicyShape, Verdict } from '../verdicts/verdict.types.js';

/** The budget of an evaluation. */
export type EvaluationLimits = Pick<
  PolicyConfig,
  'maxSteps' | 'maxMs' | 'maxTotalMs' | 'maxCompileMs' | 'maxDepth' | 'maxMemoryMb'
>;

/** A stored version, whose program the thread caches, or a draft. */
export interface ThreadPolicy extends Pick<AppliedPolicy, 'policy_id' | 'policy_name' | 'version' | 'policy_content'> {
  readonly isDraft: boolean;
}

/** Compiles a text. */
export interface CompileJob {
  readonly kind: 'compile';
  readonly policy: ThreadPolicy;
  readonly limits: EvaluationLimits;
}

/** Evaluates the policies of one decision, all on the same input. */
export interface EvaluateJob {
  readonly kind: 'evaluate';
  readonly policies: readonly ThreadPolicy[];
  readonly request: EvaluationRequest;
  readonly limits: EvaluationLimits;
  /** Whether OPA evaluates the policies that it may evaluate. They are only compiled. */
  readonly withOpa: boolean;
}

/** What a thread does for one message. Must be cloneable, and so must the results. */
export type ThreadJob = CompileJob | EvaluateJob;

export interface EvaluatedPolicy {
  readonly verdict: Verdict;
  readonly durationMs: number;
  /** An error that is not the fault of the policy. It is logged; the verdict does not contain it. */
  readonly internalError: unknown;
}

/** A policy that OPA evaluates. */
export interface OpaPolicy {
  readonly opa: PolicyShape;
}

/** The faults of a text; the results of the policies, in their order. */
export interface ThreadResults {
  readonly compile: readonly Fault[];
  readonly evaluate: readonly (EvaluatedPolicy | OpaPolicy)[];
}

/** What a thread sends: that it is ready, then the result of each job. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly result: ThreadResults[ThreadJob['kind']] }
  | { readonly kind: 'error'; readonly error: unknown };
