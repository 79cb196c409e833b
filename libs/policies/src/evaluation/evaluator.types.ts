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

/** Evaluates the policies of one decision, all on the same input. */
export interface EvaluateJob {
  readonly kind: 'evaluate';
  readonly policies: readonly EvaluatorPolicy[];
  readonly request: Omit<EvaluationRequest, 'input'> & {
    /** JSON text: a message can contain no exact numbers, which would arrive without their class. */
    readonly input: string;
  };
  readonly limits: EvaluationBudget;
  /** Whether OPA evaluates the policies that are eligible for OPA. The thread then only compiles them. */
  readonly withOpa: boolean;
}

/** A job of an evaluator. Jobs and results must be cloneable, because threads receive and send them as messages. */
export type EvaluatorJob = CompileJob | EvaluateJob;

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

/** The result of compiling a text. */
export interface CompiledText {
  /** None if the text compiles. */
  readonly faults: readonly Fault[];
  /** Reasons why a text that compiles does not decide as its author probably expects. */
  readonly warnings: readonly string[];
}

/** Results by kind of job. Those of an evaluation are in the order of the policies. */
export interface EvaluatorResults {
  readonly compile: CompiledText;
  readonly evaluate: readonly (EvaluatedPolicy | OpaPolicy)[];
}

/** Notified by the evaluator, so that the caller can limit the time of each policy. */
export interface EvaluatorProgress {
  /** Called before the work on the policy at `index`, which must end within `milliseconds`. */
  begin(index: number, milliseconds: number): void;
}
