import { createHash } from 'node:crypto';
import { Clock, newId, type JsonObject, type Scope } from '@app/kernel';
import { RegoCompileError } from '@app/rego';
import { Injectable } from '@nestjs/common';
import { PolicyCompiler } from './policy-compiler.js';
import { PolicyService } from './policy.service.js';
import type { AppliedPolicy, Policy } from './policy.types.js';
import { VerdictService } from './verdict.service.js';
import type { Verdict } from './verdict.types.js';

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
  async validate(scope: Scope, id: string, request: ValidatePolicy): Promise<PolicyValidation> {
    const asked = inQuestion(await this.policies.read(scope, id), request.policy_content);
    const errors = this.faultsOf(asked);
    if (errors.length > 0) return { valid: false, errors, result: null };
    const { input_data: input } = request;
    return { valid: true, errors, result: input === undefined ? null : await this.tried(asked, input) };
  }

  private faultsOf({ policy_id, version, policy_content }: AppliedPolicy): PolicyFault[] {
    try {
      this.compiler.compile(policy_id, version, policy_content);
      return [];
    } catch (error) {
      if (!(error instanceof RegoCompileError)) throw error;
      return error.faults.map(({ code, message, row, col }) => ({ code, message, line: row, column: col }));
    }
  }

  private async tried(policy: AppliedPolicy, input: JsonObject): Promise<Verdict | null> {
    const { policies } = await this.verdicts.decide([policy], { input, at: this.clock.now(), seed: newId() });
    return policies[0] ?? null;
  }
}

/** A text that is not stored goes by its digest, so that its program can be remembered like that of a version. */
function inQuestion({ id, name, version, policy_content: stored }: Policy, draft: string | undefined): AppliedPolicy {
  // Nothing reads the source of a policy that is tried.
  const source = { entity_type: 'agent', entity_id: '' } as const;
  const common = { policy_name: name, source };
  if (draft === undefined) return { ...common, policy_id: id, version, policy_content: stored };
  const digest = createHash('sha256').update(draft).digest('hex');
  return { ...common, policy_id: `draft ${digest}`, version: 0, policy_content: draft };
}
