import { RegoBudgetError } from './errors.js';
import { effort } from './values/effort.js';

/** The limits of one evaluation. `memory` limits an estimate, in bytes, of the values that it creates. */
export interface Budget {
  readonly steps: number;
  readonly milliseconds: number;
  readonly depth: number;
  readonly memory: number;
}

export const DEFAULT_BUDGET: Budget = { steps: 5_000_000, milliseconds: 2_000, depth: 256, memory: 128 * 1024 * 1024 };

/**
 * Maximum bytes of stack for nested evaluations, according to the estimates of the compiler. It is less than half of
 * the stack of the JavaScript engine. The rest is for the host and for builtins: the process would end if the engine
 * compiled a regular expression with a nearly full stack.
 */
const MOST_STACK = 450_000;

/** Number of steps between two reads of the clock. */
const STEPS_PER_CLOCK_READ = 2048;

/** Counts the resources that an evaluation uses, and throws `RegoBudgetError` if a limit is exceeded. */
export class Meter {
  steps = 0;
  private memory = 0;
  private depth = 0;
  private stack = 0;
  private readonly deadline: number;
  private nextClockRead: number;

  constructor(
    private readonly budget: Budget,
    private readonly clock: () => number,
  ) {
    effort.units = 0;
    this.deadline = clock() + budget.milliseconds;
    this.nextClockRead = Math.min(STEPS_PER_CLOCK_READ, budget.steps + 1);
  }

  step(): void {
    if (++this.steps >= this.nextClockRead || effort.units > STEPS_PER_CLOCK_READ) this.check();
  }

  /** Counts the work of a builtin, in units of about one step each. */
  work(units: number): void {
    this.steps += units;
    if (this.steps >= this.nextClockRead) this.check();
  }

  /** Must be called before values of `bytes` bytes are created. */
  allocate(bytes: number): void {
    this.memory += bytes;
    if (this.memory > this.budget.memory) throw new RegoBudgetError('memory', this.budget.memory);
  }

  /** Must be called before an evaluation that needs `stack` bytes of the engine's stack, and `leave` after it. */
  enter(stack: number): void {
    this.stack += stack;
    if (++this.depth > this.budget.depth || this.stack > MOST_STACK)
      throw new RegoBudgetError('depth', this.budget.depth);
  }

  leave(stack: number): void {
    this.depth--;
    this.stack -= stack;
  }

  get maxDepth(): number {
    return this.budget.depth;
  }

  /** Must be called after work whose duration its number of steps may not reflect. */
  checkTime(): void {
    if (this.clock() > this.deadline) throw new RegoBudgetError('time', this.budget.milliseconds);
  }

  private check(): void {
    this.steps += effort.units;
    effort.units = 0;
    if (this.steps > this.budget.steps) throw new RegoBudgetError('steps', this.budget.steps);
    this.checkTime();
    this.nextClockRead = Math.min(this.steps + STEPS_PER_CLOCK_READ, this.budget.steps + 1);
  }
}
