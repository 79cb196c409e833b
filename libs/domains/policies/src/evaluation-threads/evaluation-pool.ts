import { PolicyConfig } from '@app/config';
import { HeldPlaces, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { policyEvaluationBusy } from '../policies/policy.errors.js';
import { EvaluationThread, ThreadStopped } from './evaluation-thread.js';
import { EvaluationQueue } from './evaluation-queue.js';
import { SlowOrganizations } from './slow-organizations.js';
import type { EvaluatorJob, EvaluatorResults } from '../evaluation/evaluator.types.js';

interface WaitingJob {
  readonly job: EvaluatorJob;
  readonly resolve: (result: EvaluatorResults[EvaluatorJob['kind']]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Threads in which policies are compiled and evaluated, so that no policy delays other requests. They start at the
 * first job. A thread that misses its deadline is terminated and replaced ([ADR
 * 0015](docs/adr/0015-policy-threads.md)).
 *
 * The organizations take turns. A single organization can use all threads except one, and so can all slow organizations
 * together, so that others never wait for the end of a slow job. A terminated thread counts as used by the organization
 * that caused the termination until its replacement is ready, so no other organization waits for the replacement.
 */
@Injectable()
export class EvaluationPool implements OnApplicationShutdown {
  private readonly logger = createLogger('policies');
  private readonly queue: EvaluationQueue<WaitingJob>;
  private readonly threads = new Set<EvaluationThread>();
  private readonly idle: EvaluationThread[] = [];
  /** The threads that are starting. */
  private readonly starting = new Set<Promise<void>>();
  /** The start of the replacement for a thread that ended during a job. */
  private readonly replacements = new WeakMap<EvaluationThread, Promise<void>>();
  /** Threads in use, by organization. */
  private readonly used = new HeldPlaces();
  private readonly slow = new SlowOrganizations(() => performance.now());
  private isClosed = false;

  constructor(private readonly config: PolicyConfig) {
    this.queue = new EvaluationQueue(config.queueLength);
  }

  /**
   * Runs a job in a thread. Throws `ThreadStopped` if the thread ended before the job did, and `policyEvaluationBusy`
   * if the full queue drops the job or the process is shutting down.
   */
  run<Job extends EvaluatorJob>({ organizationId }: Scope, job: Job): Promise<EvaluatorResults[Job['kind']]> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(policyEvaluationBusy());
      const settle = resolve as WaitingJob['resolve'];
      // What an editor asks about a text must not delay the decisions of its organization.
      const isUrgent = job.kind === 'evaluate';
      this.queue.push(organizationId, { job, resolve: settle, reject }, { isUrgent })?.reject(policyEvaluationBusy());
      this.startMissing();
      this.dispatch();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    this.rejectWaiting();
    await Promise.all(this.starting);
    await Promise.all([...this.threads].map((thread) => thread.stop()));
  }

  private startMissing(): void {
    while (this.threads.size + this.starting.size < this.config.threads) void this.start();
  }

  /** Resolves when the new thread is idle, or could not be started. */
  private async start(): Promise<void> {
    const started = this.startThread();
    this.starting.add(started);
    await started;
    this.starting.delete(started);
    // If there is no thread at all, waiting jobs are rejected, because nothing would start a thread for them. The next
    // job tries again.
    if (this.threads.size + this.starting.size === 0) this.rejectWaiting();
    this.dispatch();
  }

  private async startThread(): Promise<void> {
    try {
      const thread = await EvaluationThread.start(this.config.threadMemoryMb, (ended) => this.forget(ended));
      this.threads.add(thread);
      this.idle.push(thread);
    } catch (error) {
      this.logger.error({ err: error }, 'a thread for the evaluation of policies could not be started');
    }
  }

  private dispatch(): void {
    while (this.idle.length > 0) {
      const next = this.queue.take((organizationId) => this.mayUseMore(organizationId));
      if (next === undefined) return;
      const thread = this.idle.pop();
      if (thread !== undefined) void this.serve(thread, next.organizationId, next.item);
    }
  }

  private mayUseMore(organizationId: string): boolean {
    const most = Math.max(1, this.config.threads - 1);
    if (this.used.of(organizationId) >= most) return false;
    return !this.slow.has(organizationId) || this.usedBySlow() < most;
  }

  private usedBySlow(): number {
    return [...this.used].reduce((sum, [id, threads]) => sum + (this.slow.has(id) ? threads : 0), 0);
  }

  private async serve(thread: EvaluationThread, organizationId: string, { job, resolve, reject }: WaitingJob) {
    this.used.acquire(organizationId);
    const startedAt = performance.now();
    try {
      resolve(await thread.run(job));
    } catch (error) {
      reject(error);
      if (error instanceof ThreadStopped) this.logStopped(organizationId, error);
    }
    if (this.threads.has(thread)) this.idle.push(thread);
    else await this.replacements.get(thread);
    this.slow.note(organizationId, performance.now() - startedAt);
    this.used.release(organizationId);
    this.dispatch();
  }

  /** A thread that ends while it is idle is replaced when the next job arrives. */
  private forget(thread: EvaluationThread): void {
    if (!this.threads.delete(thread) || this.isClosed) return;
    const index = this.idle.indexOf(thread);
    if (index >= 0) this.idle.splice(index, 1);
    else this.replacements.set(thread, this.start());
  }

  private rejectWaiting(): void {
    for (const { reject } of this.queue.clear()) reject(policyEvaluationBusy());
  }

  private logStopped(organization_id: string, { reason, cause }: ThreadStopped): void {
    const level = reason === 'crash' ? 'error' : 'warn';
    this.logger[level]({ organization_id, reason, err: cause }, 'a thread that evaluated policies was replaced');
  }
}
