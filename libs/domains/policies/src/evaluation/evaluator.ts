import { parseExactJson } from '@app/kernel';
import { exactNumber, format, RegoCompileError, type Budget, type Json, type Program } from '@app/rego';
import { PolicyCompiler } from './policy-compiler.js';
import type {
  CompiledText,
  EvaluatedPolicy,
  EvaluatedTrial,
  EvaluateJob,
  EvaluationBudget,
  EvaluatorJob,
  EvaluatorPolicy,
  EvaluatorProgress,
  EvaluatorRequest,
  EvaluatorResults,
  FormatJob,
  FormattedText,
  OpaPolicy,
  TrialsJob,
} from './evaluator.types.js';
import { policyWarnings } from './policy-warnings.js';
import {
  evaluateLocally,
  MAX_TOTAL_VIOLATIONS_LENGTH,
  packageOutput,
  preparePolicy,
  skippedVerdict,
  truncateVerdict,
  violationsLength,
} from './verdict.js';
import type { PreparedPolicy, ReadInput, Verdict } from './verdict.types.js';

const BYTES_PER_MEGABYTE = 1024 * 1024;
/**
 * The evaluator checks its time limits between small pieces of work. A thread that exceeds a limit by more than this
 * time is terminated, because a single piece of work keeps it from checking.
 */
export const GRACE_MS = 500;

/** Time that the policies of a decision have used so far. */
interface Spent {
  compilingMs: number;
  evaluatingMs: number;
}

/** Compiles and evaluates policies. Runs in a thread, synchronously; the programs of stored versions are cached. */
export class Evaluator {
  private readonly compiler = new PolicyCompiler();
  private readonly prepared = new WeakMap<Program, PreparedPolicy>();

  constructor(private readonly progress: EvaluatorProgress) {}

  run(job: EvaluatorJob): EvaluatorResults[EvaluatorJob['kind']] {
    if (job.kind === 'compile') return this.compile(job.policy, job.limits);
    if (job.kind === 'format') return this.format(job);
    return job.kind === 'trials' ? this.try(job) : this.evaluate(job);
  }

  private compile(policy: EvaluatorPolicy, { maxCompileMs }: EvaluationBudget): CompiledText {
    this.progress.begin(0, maxCompileMs + GRACE_MS);
    try {
      this.program(policy);
      return { faults: [], warnings: policyWarnings(policy.policy_content) };
    } catch (error) {
      if (error instanceof RegoCompileError) return { faults: error.faults, warnings: [] };
      throw error;
    }
  }

  private format({ text, limits }: FormatJob): FormattedText {
    this.progress.begin(0, limits.maxCompileMs + GRACE_MS);
    try {
      return { text: format(text) };
    } catch (error) {
      if (error instanceof RegoCompileError) return { faults: error.faults };
      throw error;
    }
  }

  private try({ policy, requests, milliseconds, explain, limits }: TrialsJob): readonly EvaluatedTrial[] {
    const endsAt = performance.now() + milliseconds;
    const prepare = this.prepareInTime(policy, 0, limits, { compilingMs: 0, evaluatingMs: 0 });
    const trials: EvaluatedTrial[] = [];
    for (const [index, request] of requests.entries()) {
      if (index > 0 && performance.now() >= endsAt) break;
      const spent = { compilingMs: 0, evaluatingMs: 0 };
      const job = { request, readInput: inputOf(request), limits };
      const evaluated = this.evaluateOne(policy, index, prepare, job, spent);
      const isExplained = explain && evaluated.verdict.failure === null && prepare !== undefined;
      if (isExplained) this.progress.begin(index, limits.maxMs + GRACE_MS);
      const budget = budgetOf(limits, limits.maxMs);
      trials.push({
        ...evaluated,
        output: isExplained ? packageOutput(prepare(), { ...request, ...job }, budget) : null,
      });
    }
    return trials;
  }

  /**
   * Evaluates all policies, even after one has denied, so that the result contains the violations of all. Compiling has
   * a separate time limit. Policies that were compiled within it are cached for the next decision.
   */
  private evaluate(job: EvaluateJob): readonly (EvaluatedPolicy | OpaPolicy)[] {
    const spent: Spent = { compilingMs: 0, evaluatingMs: 0 };
    const readInput = inputOf(job.request);
    let totalLength = 0;
    return job.policies.map((policy, index) => {
      const prepare = this.prepareInTime(policy, index, job.limits, spent);
      const shape = job.withOpa ? shapeForOpa(prepare) : undefined;
      if (shape !== undefined) return { opa: shape };
      const evaluated = this.evaluateOne(policy, index, prepare, { ...job, readInput }, spent);
      const verdict = truncateVerdict(evaluated.verdict, MAX_TOTAL_VIOLATIONS_LENGTH - totalLength);
      totalLength += violationsLength(verdict);
      return { ...evaluated, verdict };
    });
  }

  /** Returns undefined if the policy is not cached and the policies before it used up the time limit for compiling. */
  private prepareInTime(
    policy: EvaluatorPolicy,
    index: number,
    { maxCompileMs }: EvaluationBudget,
    spent: Spent,
  ): (() => PreparedPolicy) | undefined {
    if (!policy.isDraft && this.compiler.isCompiled(policy.policy_id, policy.version)) return this.prepare(policy);
    if (spent.compilingMs >= maxCompileMs) return undefined;
    this.progress.begin(index, maxCompileMs - spent.compilingMs + GRACE_MS);
    const startedAt = performance.now();
    const prepare = this.prepare(policy);
    spent.compilingMs += performance.now() - startedAt;
    return prepare;
  }

  private evaluateOne(
    policy: EvaluatorPolicy,
    index: number,
    prepare: (() => PreparedPolicy) | undefined,
    { request, readInput, limits }: Pick<EvaluateJob, 'request' | 'limits'> & { readonly readInput: ReadInput },
    spent: Spent,
  ): EvaluatedPolicy {
    const { maxMs, maxTotalMs, maxCompileMs } = limits;
    const leftMs = maxTotalMs - spent.evaluatingMs;
    const skipped = (verdict: Verdict): EvaluatedPolicy => ({ verdict, durationMs: 0, internalError: undefined });
    if (prepare === undefined) return skipped(skippedVerdict(policy, 'compiled', maxCompileMs));
    if (leftMs <= 0) return skipped(skippedVerdict(policy, 'evaluated', maxTotalMs));
    const milliseconds = Math.min(maxMs, leftMs);
    this.progress.begin(index, milliseconds + GRACE_MS);
    const budget = budgetOf(limits, milliseconds);
    let internalError: unknown;
    const startedAt = performance.now();
    const verdict = evaluateLocally(
      policy,
      prepare,
      { ...request, readInput },
      budget,
      (error) => (internalError = error),
    );
    const durationMs = performance.now() - startedAt;
    spent.evaluatingMs += durationMs;
    return { verdict, durationMs, internalError };
  }

  /** Compiles the policy now; the returned function returns the result or throws the compile error. */
  private prepare(policy: EvaluatorPolicy): () => PreparedPolicy {
    try {
      const program = this.program(policy);
      const prepared = this.prepared.get(program) ?? preparePolicy(program, policy.policy_content);
      this.prepared.set(program, prepared);
      return () => prepared;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  private program({ policy_id, version, policy_content, isDraft }: EvaluatorPolicy): Program {
    if (isDraft) return this.compiler.compileDraft(policy_content);
    return this.compiler.compile(policy_id, version, policy_content);
  }
}

function budgetOf({ maxSteps, maxDepth, maxMemoryMb }: EvaluationBudget, milliseconds: number): Budget {
  return { steps: maxSteps, milliseconds, depth: maxDepth, memory: maxMemoryMb * BYTES_PER_MEGABYTE };
}

/**
 * Returns the input of all policies, with each number as exact as it was sent. An input that cannot be read denies: the
 * function throws.
 */
function inputOf(request: EvaluatorRequest): ReadInput {
  try {
    const input = parseExactJson(request.input, exactNumber) as Json;
    return () => input;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/**
 * Returns undefined if OPA must not evaluate the policy. This includes a policy that does not compile, which denies
 * without OPA.
 */
function shapeForOpa(prepare: (() => PreparedPolicy) | undefined): OpaPolicy['opa'] | undefined {
  try {
    const prepared = prepare?.();
    if (prepared?.opaEligible !== true) return undefined;
    const { hasAllow, path, functions } = prepared;
    return { hasAllow, path, functions };
  } catch {
    return undefined;
  }
}
