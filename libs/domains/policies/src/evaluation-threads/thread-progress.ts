import type { EvaluatorProgress } from '../evaluation/evaluator.types.js';

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/**
 * The current work of a thread, in memory that it shares with the main thread: the index of the policy and the deadline
 * of this work. The main thread can read it even if the thread is blocked. The clock is monotonic and the same in all
 * threads of a process.
 */
export class ThreadProgress implements EvaluatorProgress {
  private readonly deadline: BigInt64Array;
  private readonly position: Int32Array;

  constructor(readonly buffer = new SharedArrayBuffer(16)) {
    this.deadline = new BigInt64Array(buffer, 0, 1);
    this.position = new Int32Array(buffer, 8, 1);
  }

  begin(index: number, milliseconds: number): void {
    Atomics.store(this.position, 0, index);
    const duration = BigInt(Math.ceil(milliseconds)) * NANOSECONDS_PER_MILLISECOND;
    Atomics.store(this.deadline, 0, process.hrtime.bigint() + duration);
  }

  /** Milliseconds until the deadline; not positive if it has passed. */
  remainingMs(): number {
    return Number(Atomics.load(this.deadline, 0) - process.hrtime.bigint()) / Number(NANOSECONDS_PER_MILLISECOND);
  }

  get index(): number {
    return Atomics.load(this.position, 0);
  }
}
