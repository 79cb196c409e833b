import { Clock, newId, type JsonObject, type Scope } from '@app/kernel';
import { RegoCompileError, type Program } from '@app/rego';
import { Injectable } from '@nestjs/common';
import { PolicyCompiler } from './policy-compiler.js';
import { toldOfFault } from './policy.errors.js';
import { PolicyService } from './policy.service.js';
import type { AppliedPolicy, Policy } from './policy.types.js';
import { VerdictService } from './verdict.service.js';
import type { Question, Verdict } from './verdict.types.js';

export interface ValidatePolicy {
  /** In place of the stored text, which stays. */
  readonly policy_content?: string;
  /** What the policy is asked about, if it is to be tried. */
  readonly input_data?: JsonObject;
}

/** A fault of a policy's text. Lines and columns count from 1. */
export interface PolicyFault {
  readonly code: string;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export interface PolicyValidation {
  /** Whether it compiles. */
  readonly valid: boolean;
  readonly errors: readonly PolicyFault[];
  /** What it says to the input; null where there was none, or nothing to ask. */
  readonly result: Verdict | null;
}

@Injectable()
export class PolicyValidationService {
  constructor(
    private readonly policies: PolicyService,
    private readonly compiler: PolicyCompiler,
    private readonly verdicts: VerdictService,
    private readonly clock: Clock,
  ) {}

  /** Compiles a policy's text, stored or not, and tries it alone, enabled or not. Nothing is stored or recorded. */
  async validate(scope: Scope, id: string, { policy_content, input_data }: ValidatePolicy): Promise<PolicyValidation> {
    const policy = await this.policies.read(scope, id);
    const compiled = compilation(() =>
      policy_content === undefined
        ? this.compiler.compile(id, policy.version, policy.policy_content)
        : this.compiler.compileDraft(policy_content),
    );
    if ('errors' in compiled) return { valid: false, errors: compiled.errors, result: null };
    if (input_data === undefined) return { valid: true, errors: [], result: null };
    const question = { input: input_data, at: this.clock.now(), seed: newId() };
    if (policy_content === undefined) return { valid: true, errors: [], result: await this.tried(policy, question) };
    const draft = inQuestion(policy, policy_content);
    return { valid: true, errors: [], result: this.verdicts.tryDraft(draft, compiled.program, question) };
  }

  private async tried(policy: Policy, question: Question): Promise<Verdict | null> {
    const { policies } = await this.verdicts.decide([inQuestion(policy, policy.policy_content)], question);
    return policies[0] ?? null;
  }
}

function compilation(compile: () => Program): { readonly program: Program } | Pick<PolicyValidation, 'errors'> {
  try {
    return { program: compile() };
  } catch (error) {
    if (!(error instanceof RegoCompileError)) throw error;
    const errors = error.faults.map(({ code, message, row, col }) => {
      return { code, message: toldOfFault(message), line: row, column: col };
    });
    return { errors };
  }
}

function inQuestion({ id, name, version }: Policy, policy_content: string): AppliedPolicy {
  // Nothing reads the source of a policy that is tried.
  const source = { entity_type: 'agent', entity_id: '' } as const;
  return { policy_id: id, policy_name: name, version, policy_content, source };
}
