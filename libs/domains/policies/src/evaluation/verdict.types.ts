import type { JsonObject } from '@app/kernel';
import type { Json, PreparedQuery } from '@app/rego';
import type { PolicyOrigin } from '../policies/policy.types.js';

/** Why a policy has no result. Each of these denies. */
export const VERDICT_FAILURES = ['compile', 'evaluation', 'steps', 'time', 'depth', 'memory'] as const;
export type VerdictFailure = (typeof VERDICT_FAILURES)[number];

/** The result of one policy. */
export interface Verdict {
  readonly allowed: boolean;
  readonly violations: readonly string[];
  /** Null if the evaluation completed. */
  readonly failure: VerdictFailure | null;
}

/** The verdict of one of the policies that apply. */
export interface PolicyResult extends Verdict {
  readonly policy_id: string;
  readonly policy_name: string;
  readonly version: number;
  readonly source: PolicyOrigin;
  /** Absent in decisions that were recorded before policies had several sources. */
  readonly sources?: readonly PolicyOrigin[];
  readonly duration_ms: number;
}

/** The combined verdict of all policies that apply: `allowed` only if each of them allows. */
export interface CombinedVerdict {
  readonly allowed: boolean;
  /** The violations of all policies, in order of evaluation. */
  readonly violations: readonly string[];
  readonly policies: readonly PolicyResult[];
}

/**
 * Everything a policy can read. In the evaluator of the platform, the same policy and request give the same verdict.
 * OPA receives only the input; its time and random values are its own.
 */
export interface EvaluationRequest {
  readonly input: JsonObject;
  /** The time that `time.now_ns` returns. */
  readonly at: Date;
  /** Seeds `rand.intn` and `uuid.rfc4122`. */
  readonly seed: string;
}

/** Returns the input, or throws if a policy cannot read it. */
export type ReadInput = () => Json;

/** A request to the evaluator of the platform. */
export interface LocalRequest extends Omit<EvaluationRequest, 'input'> {
  readonly readInput: ReadInput;
}

/** The rules of a policy that determine its verdict. */
export const RESULT_RULES = ['allow', 'violations', 'deny'] as const;

/** The value of each rule, in a list that is empty if the rule is undefined. */
export type RuleDocuments = Readonly<Record<(typeof RESULT_RULES)[number], readonly Json[]>>;

/** Properties of a policy that follow from its text. */
export interface PolicyShape {
  /** Whether the module has a rule or a function `allow`. If so, the policy allows only if `allow` is true. */
  readonly hasAllow: boolean;
  /** The package of the module. */
  readonly path: readonly string[];
  /** Names of the rules that are functions. */
  readonly functions: ReadonlySet<string>;
}

/** A compiled policy with the data that its evaluation needs. */
export interface PreparedPolicy extends PolicyShape {
  readonly query: PreparedQuery;
  /** Compiles the query for the value of the whole package, which only trials need. */
  readonly packageQuery: () => PreparedQuery;
  /** Whether OPA may evaluate it. */
  readonly opaEligible: boolean;
}
