import { PolicyConfig } from '@app/config';
import { invalid, type Fault, type Scope } from '@app/kernel';
import type { Fault as RegoFault } from '@app/rego';
import { Injectable } from '@nestjs/common';
import { toContentFaults } from '../policies/policy.errors.js';
import { MAX_POLICY_CONTENT } from '../policies/policy.types.js';
import { EvaluationPool } from '../evaluation-threads/evaluation-pool.js';
import { ThreadStopped } from '../evaluation-threads/evaluation-thread.js';
import type { CompiledText, EvaluatorPolicy, FormattedText } from '../evaluation/evaluator.types.js';

/** Compiles texts to find their faults, in the threads that evaluate policies. */
@Injectable()
export class PolicyChecker {
  constructor(
    private readonly pool: EvaluationPool,
    private readonly config: PolicyConfig,
  ) {}

  /** Throws `invalid`, with a fault for each error, if the text does not compile. Accepts an empty text: it is a draft. */
  async check(scope: Scope, content: string): Promise<void> {
    const faults = content === '' ? [] : toContentFaults((await this.compile(scope, draftOf(content))).faults);
    if (faults.length > 0) throw invalid(faults);
  }

  /**
   * Returns the faults of the `policy_content` of a request. Returns none if the field is not a string or is too long,
   * because other validators report this.
   */
  async requestFaults(scope: Scope, content: unknown): Promise<readonly Fault[]> {
    if (typeof content !== 'string' || content === '' || content.length > MAX_POLICY_CONTENT) return [];
    return toContentFaults((await this.compile(scope, draftOf(content))).faults);
  }

  /** A text that needs too much time or memory has one fault. */
  async compile(scope: Scope, policy: EvaluatorPolicy): Promise<CompiledText> {
    const compiled = this.pool.run(scope, { kind: 'compile', policy, limits: this.config });
    return compiled.catch((error: unknown) => ({ faults: [this.faultOf(error)], warnings: [] }));
  }

  /** Writes a text in the standard layout. A text that needs too much time or memory has one fault. */
  async format(scope: Scope, text: string): Promise<FormattedText> {
    const formatted = this.pool.run(scope, { kind: 'format', text, limits: this.config });
    return formatted.catch((error: unknown) => ({ faults: [this.faultOf(error)] }));
  }

  /** Returns the fault of a text at which a thread was stopped. Throws every other error. */
  private faultOf(error: unknown): RegoFault {
    if (!(error instanceof ThreadStopped) || (error.reason !== 'time' && error.reason !== 'memory')) throw error;
    const limit = error.reason === 'time' ? `${this.config.maxCompileMs} ms` : 'the memory of a thread';
    const message = `compiling takes more than ${limit}`;
    return { code: 'rego_compile_error', message, row: 1, col: 1, file: '' };
  }
}

export function draftOf(policy_content: string, policy_name = ''): EvaluatorPolicy {
  return { policy_id: '', policy_name, version: 0, policy_content, isDraft: true };
}
