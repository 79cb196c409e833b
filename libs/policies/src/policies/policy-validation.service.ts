import { Clock, newId, type JsonObject, type Scope } from '@app/kernel';
import type { Fault } from '@app/rego';
import { Injectable } from '@nestjs/common';
import { draftOf, PolicyChecker } from '../verdicts/policy-checker.js';
import { truncateFaultMessage } from './policy.errors.js';
import { PolicyService } from './policy.service.js';
import type { AppliedPolicy, Policy } from './policy.types.js';
import { VerdictService } from '../verdicts/verdict.service.js';
import type { Verdict } from '../evaluation/verdict.types.js';

export interface ValidatePolicy {
  /** Validated instead of the stored text, which is not changed. */
  readonly policy_content?: string;
  /** If set, the policy is also evaluated with this input. */
  readonly input_data?: JsonObject;
}

/** A compile error of a policy's text. Lines and columns start at 1. */
export interface PolicyFault {
  readonly code: string;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export interface PolicyValidation {
  /** Whether the text compiles. */
  readonly valid: boolean;
  readonly errors: readonly PolicyFault[];
  /** Reasons why a text that compiles does not decide as its author probably expects. */
  readonly warnings: readonly string[];
  /** The verdict on the input; null if there is no input or the text does not compile. */
  readonly result: Verdict | null;
}

@Injectable()
export class PolicyValidationService {
  constructor(
    private readonly policies: PolicyService,
    private readonly checker: PolicyChecker,
    private readonly verdicts: VerdictService,
    private readonly clock: Clock,
  ) {}

  /**
   * Compiles the stored or the given text, and evaluates only this policy, even if it is disabled. Stores and records
   * nothing.
   */
  async validate(scope: Scope, id: string, { policy_content, input_data }: ValidatePolicy): Promise<PolicyValidation> {
    const policy = await this.policies.read(scope, id);
    const stored = toAppliedPolicy(policy);
    const compiled =
      policy_content === undefined ? { ...stored, isDraft: false } : draftOf(policy_content, policy.name);
    const { faults, warnings } = await this.checker.compile(scope, compiled);
    if (faults.length > 0) return { valid: false, errors: faults.map(toPolicyFault), warnings, result: null };
    if (input_data === undefined) return { valid: true, errors: [], warnings, result: null };
    const request = { input: input_data, at: this.clock.now(), seed: newId() };
    if (policy_content === undefined) {
      const { policies } = await this.verdicts.decide(scope, [stored], request);
      return { valid: true, errors: [], warnings, result: policies[0] ?? null };
    }
    const draft = { name: policy.name, content: policy_content };
    const result = await this.verdicts.evaluateDraft(scope, draft, request);
    return { valid: true, errors: [], warnings, result };
  }
}

function toPolicyFault({ code, message, row, col }: Fault): PolicyFault {
  return { code, message: truncateFaultMessage(message), line: row, column: col };
}

function toAppliedPolicy({ id, name, version, policy_content }: Policy): AppliedPolicy {
  // Required by the type; the source of a validated policy is never read.
  const source = { entity_type: 'agent', entity_id: '' } as const;
  return { policy_id: id, policy_name: name, version, policy_content, source, sources: [source] };
}
