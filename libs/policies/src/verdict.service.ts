import { setImmediate as nextTurn } from 'node:timers/promises';
import { PolicyConfig } from '@app/config';
import { createLogger } from '@app/observability';
import type { Json, Program } from '@app/rego';
import { Injectable, Optional } from '@nestjs/common';
import { OpaEngine } from './opa-engine.js';
import { PolicyCompiler } from './policy-compiler.js';
import type { AppliedPolicy } from './policy.types.js';
import {
  judge,
  judgeElsewhere,
  lengthOf,
  MAX_TOLD,
  preparePolicy,
  toldWithin,
  unaskedVerdict,
  type PreparedPolicy,
} from './verdict.js';
import type { JointVerdict, PolicyResult, Question, Verdict } from './verdict.types.js';

/** After this much of it without a break, other requests of the process have their turn. */
const BREAK_AFTER_MS = 10;
const MEGABYTE = 1024 * 1024;

/** Asks policies, each by itself: none sees another, and none's failure touches another's verdict. */
@Injectable()
export class VerdictService {
  private readonly logger = createLogger('policies');
  private readonly prepared = new WeakMap<Program, PreparedPolicy>();

  constructor(
    private readonly compiler: PolicyCompiler,
    private readonly config: PolicyConfig,
    @Optional() private readonly opa?: OpaEngine,
  ) {}

  /** All of them are asked, also after one denied, so that everything that stands against it is told at once. */
  async decide(policies: readonly AppliedPolicy[], question: Question): Promise<JointVerdict> {
    return this.askAll(policies, question, this.opa);
  }

  /** By the platform's own evaluator in any case, which alone can be told what time it was. */
  async decideAgain(policies: readonly AppliedPolicy[], question: Question): Promise<JointVerdict> {
    return this.askAll(policies, question, undefined);
  }

  /** What a text that is no version of a policy would say. It never leaves for OPA, which would keep it. */
  tryDraft(policy: AppliedPolicy, program: Program, question: Question): Verdict {
    return this.ask(policy, () => preparePolicy(program, policy.policy_content), question, this.config.maxTotalMs);
  }

  /** Compiling happens once per version and process, and has a time of its own: what it gets to, the next decision knows. */
  private async askAll(
    policies: readonly AppliedPolicy[],
    question: Question,
    opa: OpaEngine | undefined,
  ): Promise<JointVerdict> {
    const results: PolicyResult[] = [];
    const spent = { compiling: 0, asking: 0 };
    let unbroken = 0;
    let told = 0;
    for (const policy of policies) {
      if (unbroken > BREAK_AFTER_MS) {
        await nextTurn();
        unbroken = 0;
      }
      const began = performance.now();
      const known = this.compiler.knows(policy.policy_id, policy.version);
      const prepared = known || spent.compiling < this.config.maxCompileMs ? this.prepare(policy) : undefined;
      const asked = performance.now();
      const said = await this.askOne(policy, prepared, question, spent.asking, opa);
      const verdict = toldWithin(said, MAX_TOLD - told);
      told += lengthOf(verdict);
      const ended = performance.now();
      if (!known) spent.compiling += asked - began;
      spent.asking += ended - asked;
      unbroken += ended - began;
      results.push(resultOf(policy, verdict, ended - asked));
    }
    return jointly(results);
  }

  private async askOne(
    policy: AppliedPolicy,
    prepared: (() => PreparedPolicy) | undefined,
    question: Question,
    spentMs: number,
    opa: OpaEngine | undefined,
  ): Promise<Verdict> {
    const { maxCompileMs, maxTotalMs } = this.config;
    const leftMs = maxTotalMs - spentMs;
    if (prepared === undefined) return unaskedVerdict(policy, 'compiled', maxCompileMs);
    if (leftMs <= 0) return unaskedVerdict(policy, 'evaluated', maxTotalMs);
    if (opa === undefined || !leaves(prepared)) return this.ask(policy, prepared, question, leftMs);
    return this.askOpa(opa, policy, prepared, question, leftMs);
  }

  private ask(policy: AppliedPolicy, prepared: () => PreparedPolicy, question: Question, leftMs: number): Verdict {
    const { maxSteps, maxMs, maxDepth, maxMemoryMb } = this.config;
    const milliseconds = Math.min(maxMs, leftMs);
    const budget = { steps: maxSteps, milliseconds, depth: maxDepth, memory: maxMemoryMb * MEGABYTE };
    return judge(policy, prepared, question, budget, (error) => this.noteUnforeseen(policy, error));
  }

  private async askOpa(
    opa: OpaEngine,
    policy: AppliedPolicy,
    prepare: () => PreparedPolicy,
    question: Question,
    leftMs: number,
  ): Promise<Verdict> {
    const milliseconds = Math.min(this.config.maxMs, leftMs);
    const ask = (prepared: PreparedPolicy): Promise<Json> =>
      opa.documents(policy.policy_content, prepared, question, milliseconds);
    return judgeElsewhere(policy, prepare, ask, (error) => this.noteUnforeseen(policy, error));
  }

  private noteUnforeseen({ policy_id, version }: AppliedPolicy, error: unknown): void {
    this.logger.error({ err: error, policy_id, version }, 'a policy could not be evaluated, and denies');
  }

  private prepare({ policy_id, version, policy_content }: AppliedPolicy): () => PreparedPolicy {
    try {
      const program = this.compiler.compile(policy_id, version, policy_content);
      const prepared = this.prepared.get(program) ?? preparePolicy(program, policy_content);
      this.prepared.set(program, prepared);
      return () => prepared;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }
}

/** What does not compile stays here as well, and denies. */
function leaves(prepare: () => PreparedPolicy): boolean {
  try {
    return prepare().mayLeave;
  } catch {
    return false;
  }
}

function resultOf(policy: AppliedPolicy, verdict: Verdict, duration: number): PolicyResult {
  const { policy_id, policy_name, version, source } = policy;
  return { policy_id, policy_name, version, source, ...verdict, duration_ms: Math.round(duration * 1000) / 1000 };
}

/** Without any policy there is nothing against it. */
function jointly(policies: readonly PolicyResult[]): JointVerdict {
  return {
    allowed: policies.every(({ allowed }) => allowed),
    violations: policies.flatMap(({ violations }) => violations),
    policies,
  };
}
