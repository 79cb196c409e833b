import type { PolicyConfig } from '@app/config';
import type { Fault } from '@app/rego';
import type { AppliedPolicy } from '../policies/policy.types.js';
import type { EvaluationRequest, PolicyShape, Verdict } from './verdict.types.js';

/** The budget of an evaluation. */
export type EvaluationBudget = Pick<
  PolicyConfig,
  'maxSteps' | 'maxMs' | 'maxTotalMs' | 'maxCompileMs' | 'maxDepth' | 'maxMemoryMb'
>;

/** A stored version, whose program the evaluator caches, or a draft. */
export interface EvaluatorPolicy extends Pick<
  AppliedPolicy,
  'policy_id' | 'policy_name' | 'version' | 'policy_content'
> {
  readonly isDraft: boolean;
}

/** Compiles a text. */
export interface CompileJob {
  readonly kind: 'compile';
  readonly policy: EvaluatorPolicy;
  readonly limits: EvaluationBudget;
}

/** Writes a text in the standard layout. */
export interface FormatJob {
  readonly kind: 'format';
  readonly text: string;
  readonly limits: EvaluationBudget;
}

/** An `EvaluationRequest` for a thread. */
export interface EvaluatorRequest extends Omit<EvaluationRequest, 'input'> {
  /** JSON text: a message can contain no exact numbers, which would arrive without their class. */
  readonly input: string;
}

/** Evaluates the policies of one decision, all on the same input. */
export interface EvaluateJob {
  readonly kind: 'evaluate';
  readonly policies: readonly EvaluatorPolicy[];
  readonly request: EvaluatorRequest;
  readonly limits: EvaluationBudget;
  /** Whether OPA evaluates the policies that are eligible for OPA. The thread then only compiles them. */
  readonly withOpa: boolean;
}

/** Evaluates one policy on each of several requests. */
export interface TrialsJob {
  readonly kind: 'trials';
  readonly policy: EvaluatorPolicy;
  readonly requests: readonly EvaluatorRequest[];
  /** No trial begins after this time. The first one always begins. */
  readonly milliseconds: number;
  /** Whether the trials contain the output of the package. */
  readonly explain: boolean;
  readonly limits: EvaluationBudget;
}

/** A job of an evaluator. Jobs and results must be cloneable, because threads receive and send them as messages. */
export type EvaluatorJob = CompileJob | FormatJob | EvaluateJob | TrialsJob;

export interface EvaluatedPolicy {
  readonly verdict: Verdict;
  readonly durationMs: number;
  /** An error that is not the fault of the policy. It is logged; the verdict does not contain it. */
  readonly internalError: unknown;
}

/** The evaluation of a policy on one request of a `TrialsJob`. */
export interface EvaluatedTrial extends EvaluatedPolicy {
  /** The value of the package, as JSON text. Null without `explain` and if it cannot be evaluated or is too long. */
  readonly output: string | null;
}

/** A policy that OPA evaluates. */
export interface OpaPolicy {
  readonly opa: PolicyShape;
}

/** The result of compiling a text. */
export interface CompiledText {
  /** None if the text compiles. */
  readonly faults: readonly Fault[];
  /** Reasons why a text that compiles does not decide as its author probably expects. */
  readonly warnings: readonly string[];
}

/** A text in the standard layout, or the faults because of which it cannot be parsed. */
export type FormattedText = { readonly text: string } | { readonly faults: readonly Fault[] };

/**
 * Results by kind of job. Those of an evaluation are in the order of the policies, those of trials in the order of the
 * requests; trials that did not begin in time are absent.
 */
export interface EvaluatorResults {
  readonly compile: CompiledText;
  readonly format: FormattedText;
  readonly trials: readonly EvaluatedTrial[];
  readonly evaluate: readonly (EvaluatedPolicy | OpaPolicy)[];
}

/** Notified by the evaluator, so that the caller can limit the time of each policy. */
export interface EvaluatorProgress {
  /** Called before the work on the policy at `index`, which must end within `milliseconds`. */
  begin(index: number, milliseconds: number): void;
}
