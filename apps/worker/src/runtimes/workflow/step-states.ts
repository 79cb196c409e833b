import { objectIn, readObjects } from '../../json-fields.js';
import type { RuntimeUsage } from '../runtime.js';
import { readUsage, sumOf } from '../usage-sum.js';
import { failingCondition } from './step-condition.js';
import type { PlannedStep } from './step-plan.js';

const ENDED = ['completed', 'failed', 'skipped'] as const;
type EndedStatus = (typeof ENDED)[number];

interface StepState {
  readonly status: EndedStatus | 'open';
  /** Number of started attempts of the step, in all attempts of the execution. */
  readonly attempt: number;
  readonly output: string | null;
  readonly usage: RuntimeUsage | null;
}

const OPEN: StepState = { status: 'open', attempt: 0, output: null, usage: null };

/** The states of the steps of a run. */
export class StepStates {
  private readonly states = new Map<string, StepState>();

  /**
   * `reported`: the steps that an earlier attempt of the execution reported. Steps that have ended are not run again,
   * except a failed one if its failure ended the earlier attempt.
   */
  constructor(steps: readonly PlannedStep[], reported: unknown, continueOnError: boolean) {
    for (const { name } of steps) this.states.set(name, OPEN);
    for (const step of readObjects(reported)) {
      const name = String(step['name']);
      const ended = ENDED.find((status) => status === step['status']);
      const isKept = ended !== undefined && (ended !== 'failed' || continueOnError);
      this.states.set(name, {
        status: isKept ? ended : 'open',
        attempt: typeof step['attempt'] === 'number' ? step['attempt'] : 0,
        output: isKept && typeof step['output'] === 'string' ? step['output'] : null,
        usage: readUsage(objectIn(step, 'usage')),
      });
    }
  }

  hasEnded(name: string): boolean {
    return this.of(name).status !== 'open';
  }

  outputOf(name: string): string | null {
    return this.of(name).output;
  }

  /** Counts an attempt of the step and returns its number. */
  startAttempt(name: string): number {
    const state = this.of(name);
    this.states.set(name, { ...state, attempt: state.attempt + 1 });
    return state.attempt + 1;
  }

  attemptOf(name: string): number {
    return this.of(name).attempt;
  }

  addUsage(name: string, usage: RuntimeUsage | null): RuntimeUsage | null {
    const state = this.of(name);
    const sum = sumOf([state.usage, usage]);
    this.states.set(name, { ...state, usage: sum });
    return sum;
  }

  end(name: string, status: EndedStatus, output: string | null): void {
    this.states.set(name, { ...this.of(name), status, output });
  }

  /**
   * Returns why the step is skipped; null if it runs. Its dependencies must have ended. Throws a RuntimeFailure if the
   * expressions of its conditions take too long.
   */
  skipReason({ inputs, conditions }: PlannedStep): string | null {
    if (inputs.length > 0 && inputs.every((name) => this.outputOf(name) === null)) {
      return `No output of ${inputs.length === 1 ? `the step ${inputs[0]}` : 'the steps that it depends on'}`;
    }
    const failing = failingCondition(conditions, (name) => this.outputOf(name));
    return failing === undefined ? null : `The condition on the step ${String(failing['step'])} is false`;
  }

  /** The usage of all steps, also of earlier attempts. */
  usage(): RuntimeUsage {
    return sumOf([...this.states.values()].map(({ usage }) => usage)) ?? NO_USAGE;
  }

  private of(name: string): StepState {
    return this.states.get(name) ?? OPEN;
  }
}

const NO_USAGE: RuntimeUsage = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  model: '',
  requests: 0,
  tool_calls: 0,
};
