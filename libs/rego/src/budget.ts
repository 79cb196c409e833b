import { RegoBudgetError } from './errors.js';
import { effort } from './values/effort.js';

/** What one evaluation may use. `memory` is an estimate in bytes of the values it creates. */
export interface Budget {
  readonly steps: number;
  readonly milliseconds: number;
  readonly depth: number;
  readonly memory: number;
}

export const DEFAULT_BUDGET: Budget = { steps: 5_000_000, milliseconds: 2_000, depth: 256, memory: 128 * 1024 * 1024 };

/**
 * Bytes of stack for nested evaluations, by the estimates of the compiler: less than half of what the engine has. The rest
 * is for the host and for builtins: a regular expression that the engine compiles when its stack is nearly full ends the
 * process.
 */
const MOST_STACK = 450_000;

/** The clock is read once per this many steps. */
const STEPS_PER_CLOCK_READ = 2048;

/** Counts what an evaluation uses and throws `RegoBudgetError` when a limit is passed. */
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

  /** Work of a builtin, in units of about one step each. */
  work(units: number): void {
    this.steps += units;
    if (this.steps >= this.nextClockRead) this.check();
  }

  /** Call before creating `bytes` bytes of values. */
  allocate(bytes: number): void {
    this.memory += bytes;
    if (this.memory > this.budget.memory) throw new RegoBudgetError('memory', this.budget.memory);
  }

  /** Call before evaluating what takes `stack` bytes of the engine's stack, and `leave` after. */
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

  /** Call after work whose time its steps may not tell. */
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
