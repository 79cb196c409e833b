import { Database } from '@app/database';
import { JobRunsService } from '@app/executions';
import { toWireTime, type JsonObject, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { bulkhead } from 'cockatiel';
import { JobInstantRepository } from './job-instant.repository.js';
import type { JobInstant } from './job-instant.types.js';
import { JobTriggerService } from '../triggers/job-trigger.service.js';
import { JobRepository } from '../jobs/job.repository.js';
import type { Job } from '../jobs/job.types.js';
import { overlapOf } from '../schedules/schedule-settings.js';

/** Milliseconds after which a queued instant is tried again. */
const QUEUE_POLL_MS = 2000;
/** Maximum number of queued instants of one job; further ones are skipped. */
const MAX_QUEUED = 100;
/** Number of instants that are started concurrently. */
const CONCURRENCY = 10;
/** An instant that cannot be started, because the start throws, becomes a failed execution after this many attempts. */
const MAX_ATTEMPTS = 8;

/**
 * Starts the recorded instants of schedules. The execution and the final state of the instant commit together, so an
 * instant starts exactly one execution, even if several dispatchers take it or one takes it repeatedly.
 */
@Injectable()
export class JobFiringService {
  private readonly logger = createLogger('jobs');
  /** The last organization whose instants were taken; '' if the next call starts with the first organization. */
  private after = '';

  constructor(
    private readonly jobs: JobRepository,
    private readonly instants: JobInstantRepository,
    private readonly triggers: JobTriggerService,
    private readonly runs: JobRunsService,
    private readonly database: Database,
  ) {}

  /** Takes up to `limit` due instants and starts some at a time. Returns their number. */
  async startDue(limit: number): Promise<number> {
    const starts = bulkhead(CONCURRENCY, limit);
    const taken = await this.take(limit);
    await Promise.all(taken.map((instant) => starts.execute(() => this.start(instant))));
    return taken.length;
  }

  /**
   * Takes one instant of each organization, then equal shares, until the limit is reached or no instant is due, so that
   * an organization with thousands of instants does not delay others. Continues after the last organization of the
   * previous call.
   */
  private async take(limit: number): Promise<JobInstant[]> {
    const taken: JobInstant[] = [];
    for (let share = 1; taken.length < limit;) {
      const missing = limit - taken.length;
      const { after } = this;
      const next = await this.instants.take({ limit: missing, after, share });
      taken.push(...next);
      const organizations = [...new Set(next.map(({ organization_id }) => organization_id))].sort();
      this.after = organizations.length < missing ? '' : (organizations.at(-1) ?? '');
      const isWholeLap = after === '' && this.after === '';
      if (isWholeLap && (next.length === 0 || share >= missing)) break;
      if (isWholeLap) share = Math.ceil((missing - next.length) / organizations.length);
    }
    return taken;
  }

  /** Never throws: an instant whose start fails stays due. */
  async start(instant: JobInstant): Promise<void> {
    const { job_id, attempts } = instant;
    try {
      await this.decide(instant);
    } catch (error) {
      this.logger.warn(
        { err: error, job_id, instant: instant.instant, attempts },
        'starting an instant failed, retrying',
      );
      if (attempts >= MAX_ATTEMPTS) await this.giveUp(instant, error);
    }
  }

  private async decide(ref: JobInstant): Promise<void> {
    await this.withLocked(ref, async (scope, job, instant) => {
      const { state, instant: at } = instant;
      if (state === 'missed') {
        const refusal = `Missed: no dispatcher started the runs from ${toWireTime(at)} on within the catch-up window`;
        return this.conclude(scope, job, instant, { state: 'reported', refusal });
      }
      const mustWait = await this.waits(scope, job, instant);
      return mustWait ? this.postpone(job, instant) : this.conclude(scope, job, instant, { state: 'started' });
    });
  }

  private async giveUp(ref: JobInstant, error: unknown): Promise<void> {
    const refusal = `Not started after ${ref.attempts} attempts: ${(error as Error).message}`;
    await this.withLocked(ref, (scope, job, instant) =>
      this.conclude(scope, job, instant, { state: 'started', refusal }),
    ).catch((failure: unknown) => {
      const fields = { err: failure, job_id: ref.job_id, instant: ref.instant };
      this.logger.error(fields, 'recording the failed start of an instant failed, retrying');
    });
  }

  /**
   * Locks the job and then the instant, in the order of every writer of both. Does nothing if the instant has been
   * processed meanwhile.
   */
  private async withLocked(
    ref: JobInstant,
    work: (scope: Scope, job: Job, instant: JobInstant) => Promise<void>,
  ): Promise<void> {
    const scope = { organizationId: ref.organization_id };
    await this.database.transactionOf(scope, async () => {
      const job = await this.jobs.lockForStart(scope, ref.job_id);
      const instant = job === undefined ? undefined : await this.instants.lock(ref);
      if (job !== undefined && instant !== undefined) await work(scope, job, instant);
    });
  }

  /** Returns whether the overlap policy of the job prevents the start of the instant now. */
  private async waits(scope: Scope, job: Job, { state }: JobInstant): Promise<boolean> {
    const overlap = overlapOf(job.config);
    if (overlap === 'allow') return false;
    if (overlap === 'queue' && state === 'due' && (await this.instants.countQueued(job.id)) > 0) return true;
    return this.runs.hasOpenScheduledRun(scope, job.id);
  }

  /** Skips the instant, or appends it to the queue of the job. Only the first instant of the queue is taken again. */
  private async postpone(job: Job, instant: JobInstant): Promise<void> {
    const queued = await this.instants.countQueued(job.id);
    const isFull = instant.state === 'due' && queued >= MAX_QUEUED;
    if (overlapOf(job.config) === 'skip' || isFull) {
      this.logger.info({ job_id: job.id, instant: instant.instant }, 'instant skipped, the previous run has not ended');
      await this.instants.update(instant, { state: 'skipped', due_at: null });
      return this.advance(job, instant);
    }
    const isFirst = instant.state === 'queued' || queued === 0;
    await this.instants.enqueue(instant, isFirst ? QUEUE_POLL_MS : null);
  }

  /** Starts the execution of the instant, or stores a failed execution with the refusal, and ends the instant. */
  private async conclude(
    scope: Scope,
    job: Job,
    instant: JobInstant,
    outcome: { readonly state: 'started' | 'reported'; readonly refusal?: string },
  ): Promise<void> {
    const { state, ...refusal } = outcome;
    const metadata: JsonObject = { scheduled_at: toWireTime(instant.instant) };
    const fired = await this.triggers.fireForAuthor(scope, job, { triggerType: 'cron', metadata, ...refusal });
    await this.instants.update(instant, { state, due_at: null, execution_id: fired.execution.id });
    await this.advance(job, instant);
  }

  private async advance(job: Job, instant: JobInstant): Promise<void> {
    if (instant.state === 'queued') await this.instants.advanceQueue(job.id);
  }
}
