import { Clock, invalid, newId, type JsonObject, type Scope } from '@app/kernel';
import type { Fault } from '@app/rego';
import { Injectable } from '@nestjs/common';
import { draftOf, PolicyChecker } from '../verdicts/policy-checker.js';
import { toContentFaults, truncateFaultMessage } from './policy.errors.js';
import { PolicyService } from './policy.service.js';
import type { AppliedPolicy, Policy } from './policy.types.js';
import type { EvaluatorPolicy } from '../evaluation/evaluator.types.js';
import { TrialService, type Draft, type Trial } from '../verdicts/trial.service.js';
import { VerdictService } from '../verdicts/verdict.service.js';
import type { EvaluationRequest, Verdict } from '../evaluation/verdict.types.js';

/** Text that is validated without a stored policy. */
export interface ValidateDraft {
  readonly policy_content: string;
  /** If set, the text is also evaluated with this input. */
  readonly input_data?: JsonObject;
  /** Whether the result contains the output of the package. */
  readonly explain?: boolean;
}

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

export interface DraftValidation extends PolicyValidation {
  /** The value of the package, JSON; null if it is not requested, cannot be evaluated or is too long. */
  readonly output: unknown;
  /** Duration of the evaluation in milliseconds; null if nothing was evaluated. */
  readonly duration_ms: number | null;
}

type CompiledValidation = Omit<PolicyValidation, 'result'>;

/** Name of the policy in violations of a draft. */
const DRAFT_NAME = 'draft';

@Injectable()
export class PolicyValidationService {
  constructor(
    private readonly policies: PolicyService,
    private readonly checker: PolicyChecker,
    private readonly verdicts: VerdictService,
    private readonly trials: TrialService,
    private readonly clock: Clock,
  ) {}

  /**
   * Compiles the stored or the given text, and evaluates only this policy, even if it is disabled. Stores and records
   * nothing.
   */
  async validate(scope: Scope, id: string, { policy_content, input_data }: ValidatePolicy): Promise<PolicyValidation> {
    const policy = await this.policies.read(scope, id);
    const stored = toAppliedPolicy(policy);
    if (policy_content !== undefined) {
      const draft = { name: policy.name, content: policy_content };
      const { validation, trial } = await this.validateText(scope, draft, input_data, false);
      return { ...validation, result: trial?.verdict ?? null };
    }
    const validation = await this.compile(scope, { ...stored, isDraft: false });
    if (!validation.valid || input_data === undefined) return { ...validation, result: null };
    const { policies } = await this.verdicts.decide(scope, [stored], this.requestOf(input_data));
    return { ...validation, result: policies[0] ?? null };
  }

  /** Like `validate` for a text alone. */
  async validateDraft(scope: Scope, request: ValidateDraft): Promise<DraftValidation> {
    const { policy_content: content, input_data, explain = false } = request;
    const { validation, trial } = await this.validateText(scope, { name: DRAFT_NAME, content }, input_data, explain);
    const { verdict = null, output = null, duration_ms = null } = trial ?? {};
    return { ...validation, result: verdict, output, duration_ms };
  }

  /** Returns the text in the standard layout. Throws `invalid`, with a fault for each error, if it cannot be parsed. */
  async format(scope: Scope, content: string): Promise<string> {
    if (content === '') return '';
    const formatted = await this.checker.format(scope, content);
    if ('faults' in formatted) throw invalid(toContentFaults(formatted.faults));
    return formatted.text;
  }

  private async validateText(
    scope: Scope,
    draft: Draft,
    input: JsonObject | undefined,
    explain: boolean,
  ): Promise<{ readonly validation: CompiledValidation; readonly trial: Trial | undefined }> {
    const validation = await this.compile(scope, draftOf(draft.content, draft.name));
    if (!validation.valid || input === undefined) return { validation, trial: undefined };
    return { validation, trial: await this.trials.evaluate(scope, draft, this.requestOf(input), explain) };
  }

  private async compile(scope: Scope, policy: EvaluatorPolicy): Promise<CompiledValidation> {
    const { faults, warnings } = await this.checker.compile(scope, policy);
    return { valid: faults.length === 0, errors: faults.map(toPolicyFault), warnings };
  }

  private requestOf(input: JsonObject): EvaluationRequest {
    return { input, at: this.clock.now(), seed: newId() };
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
