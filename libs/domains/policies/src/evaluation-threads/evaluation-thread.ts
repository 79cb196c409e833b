import { Worker } from 'node:worker_threads';
import { THREAD_FILE } from './thread-file.js';
import { ThreadProgress } from './thread-progress.js';
import type { EvaluatorJob, EvaluatorResults } from '../evaluation/evaluator.types.js';
import type { ThreadMessage } from './thread.types.js';

/** Time within which a thread must read its job, even on a busy machine. */
const PICK_UP_MS = 10_000;
/** The deadline is first checked after this time. Most jobs end earlier and therefore need no further timer. */
const FIRST_CHECK_MS = 200;

/** A thread ended before its job did. The thread can no longer be used. */
export class ThreadStopped extends Error {
  override readonly name = 'ThreadStopped';

  /** `index`: position of the policy on which the thread worked. */
  constructor(
    readonly reason: 'time' | 'memory' | 'crash' | 'closed',
    readonly index: number,
    options?: ErrorOptions,
  ) {
    super(`the thread that evaluated the policy ended: ${reason}`, options);
  }
}

interface RunningJob {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  timer: NodeJS.Timeout;
}

/** A thread that compiles and evaluates policies, one job at a time. */
export class EvaluationThread {
  private readonly progress = new ThreadProgress();
  private readonly worker: Worker;
  private running: RunningJob | undefined;
  private stopped: ThreadStopped | undefined;

  private constructor(
    memoryMb: number,
    private readonly onEnd: (thread: EvaluationThread) => void,
  ) {
    this.worker = new Worker(THREAD_FILE, {
      name: 'policies',
      workerData: this.progress.buffer,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // A thread receives neither the environment, which contains secrets, nor the modules that the command line
      // preloads.
      env: {},
      execArgv: [],
    });
    this.worker.on('error', (error) => this.end(hasNoMemory(error) ? 'memory' : 'crash', error));
    this.worker.on('exit', () => this.end('crash'));
  }

  /** Resolves when the thread is ready. `onEnd` is called once, when it ends for whatever reason. */
  static start(memoryMb: number, onEnd: (thread: EvaluationThread) => void): Promise<EvaluationThread> {
    return new Promise((resolve, reject) => {
      const thread = new EvaluationThread(memoryMb, (ended) => {
        reject(ended.stopped);
        onEnd(ended);
      });
      thread.worker.once('message', () => {
        thread.worker.on('message', (message: ThreadMessage) => thread.receive(message));
        thread.worker.unref();
        resolve(thread);
      });
    });
  }

  /**
   * Runs a job. Rejects with `ThreadStopped` if the thread ends first, because it missed its deadline or crashed. Must
   * not be called again before the last job has ended.
   */
  run<Job extends EvaluatorJob>(job: Job): Promise<EvaluatorResults[Job['kind']]> {
    if (this.stopped !== undefined) return Promise.reject(this.stopped);
    return new Promise((resolve, reject) => {
      this.progress.begin(0, PICK_UP_MS);
      const timer = setTimeout(() => this.watch(), FIRST_CHECK_MS);
      this.running = { resolve: resolve as (result: unknown) => void, reject, timer };
      this.worker.ref();
      this.worker.postMessage(job);
    });
  }

  async stop(): Promise<void> {
    this.end('closed');
    await this.worker.terminate();
  }

  private watch(): void {
    if (this.running === undefined) return;
    const remainingMs = this.progress.remainingMs();
    if (remainingMs > 0) this.running.timer = setTimeout(() => this.watch(), remainingMs + 1);
    else this.end('time');
  }

  private receive(message: ThreadMessage): void {
    const job = this.finishJob();
    if (message.kind === 'result') job?.resolve(message.result);
    else if (message.kind === 'error') job?.reject(message.error);
  }

  private end(reason: ThreadStopped['reason'], cause?: unknown): void {
    if (this.stopped !== undefined) return;
    this.stopped = new ThreadStopped(reason, this.progress.index, { cause });
    // Not awaited, because the worker ends in any case.
    void this.worker.terminate();
    this.finishJob()?.reject(this.stopped);
    this.onEnd(this);
  }

  private finishJob(): RunningJob | undefined {
    const job = this.running;
    clearTimeout(job?.timer);
    this.running = undefined;
    if (this.stopped === undefined) this.worker.unref();
    return job;
  }
}

function hasNoMemory(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
