import { invalid, type Fault } from '@app/kernel';
import { compile, RegoCompileError, type Program } from '@app/rego';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BOUNDS } from './policy-bounds.js';
import { contentFaults } from './policy.errors.js';
import { MAX_POLICY_CONTENT } from './policy.types.js';

/** What a program takes however short its text, in characters of one that is long. */
const LEAST_SIZE = 500;
/**
 * Characters of the texts whose programs are kept, the least recently used of them let go first. All that one decision
 * may use finds room, or each decision would compile everything again.
 */
const CAPACITY = BOUNDS.bytes + BOUNDS.policies * LEAST_SIZE;

type Outcome = { readonly program: Program } | { readonly error: RegoCompileError };

@Injectable()
export class PolicyCompiler {
  private readonly outcomes = new LRUCache<string, Outcome>({ maxSize: CAPACITY });

  /**
   * The program of a version, compiled once as long as it is asked for. Throws `RegoCompileError`, also for an empty text;
   * that is remembered as well.
   */
  compile(policyId: string, version: number, content: string): Program {
    const key = `${policyId}:${version}`;
    const known = this.outcomes.get(key);
    const outcome = known ?? outcomeOf(content);
    if (known === undefined) this.outcomes.set(key, outcome, { size: LEAST_SIZE + content.length });
    if ('error' in outcome) throw outcome.error;
    return outcome.program;
  }

  /** Whether `compile` has nothing to do for the version. */
  knows(policyId: string, version: number): boolean {
    return this.outcomes.has(`${policyId}:${version}`);
  }

  /** The program of a text that is no version of a policy. Not remembered: it would take the place of one that counts. */
  compileDraft(content: string): Program {
    return compile([{ name: '', text: content }]);
  }

  /** Refuses what a client wants stored where it does not compile; the faults say where. */
  check(content: string): void {
    const faults = faultsIn(content);
    if (faults.length > 0) throw invalid(faults);
  }
}

/** What is wrong with the text in a request, where there is one of a size that is compiled. */
export function policyFaults({ policy_content: content }: Readonly<Record<string, unknown>>): readonly Fault[] {
  return typeof content === 'string' && content.length <= MAX_POLICY_CONTENT ? faultsIn(content) : [];
}

/** Nothing at all is a draft. */
function faultsIn(content: string): readonly Fault[] {
  const outcome = content === '' ? undefined : outcomeOf(content);
  return outcome !== undefined && 'error' in outcome ? contentFaults(outcome.error) : [];
}

function outcomeOf(text: string): Outcome {
  try {
    return { program: compile([{ name: '', text }]) };
  } catch (error) {
    if (error instanceof RegoCompileError) return { error };
    throw error;
  }
}
