import { Database } from '@app/database';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { JobInstantEntity } from './job-instant.entity.js';
import {
  ADVANCE_QUEUE,
  COUNT_QUEUED,
  LOCK_INSTANT,
  PRUNE_INSTANTS,
  READ_SCHEDULE_LAG,
  RECORD_INSTANTS,
  TAKE_INSTANTS,
} from './job-instant.sql.js';
import type { InstantRef, JobInstant } from './job-instant.types.js';

/** An instant whose time has come. */
export type NewInstant = InstantRef & Pick<JobInstant, 'organization_id' | 'state'>;

/** Selects the due instants to take. */
export interface InstantTurn {
  /** Maximum number of instants, and of organizations. */
  readonly limit: number;
  /** The organizations after this id, in the order of ids, are considered; '' for all. */
  readonly after: string;
  /** Maximum number of instants of each organization. */
  readonly share: number;
}

/** Instants whose time has come and that have not been started. */
export interface ScheduleLag {
  /** Counted up to 10,000. */
  readonly due: number;
  /** Delay of the oldest one; 0 if there is none. */
  readonly lag_seconds: number;
}

/** The methods have no scope parameter: dispatchers work for all organizations, and an instant belongs to a job. */
@Injectable()
export class JobInstantRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Records instants and returns those that were not recorded before. Dispatchers take them from `dueAt` on. */
  async record(instants: readonly NewInstant[], dueAt: Date): Promise<JobInstant[]> {
    return this.database.prepared<JobInstant>(RECORD_INSTANTS, [
      instants.map(({ job_id }) => job_id),
      instants.map(({ instant }) => instant),
      instants.map(({ organization_id }) => organization_id),
      instants.map(({ state }) => state),
      dueAt,
    ]);
  }

  /** Takes due instants for this dispatcher. If it dies, they become due again. */
  async take({ limit, after, share }: InstantTurn): Promise<JobInstant[]> {
    return this.database.prepared<JobInstant>(TAKE_INSTANTS, [this.clock.now(), limit, after, share]);
  }

  /** Locks the instant until the transaction ends. Returns undefined if it has been processed. */
  async lock({ job_id, instant }: InstantRef): Promise<JobInstant | undefined> {
    const [locked] = await this.database.prepared<JobInstant>(LOCK_INSTANT, [job_id, instant]);
    return locked;
  }

  async update(
    { job_id, instant }: InstantRef,
    changes: Pick<JobInstant, 'state' | 'due_at'> & Partial<Pick<JobInstant, 'attempts' | 'execution_id'>>,
  ): Promise<void> {
    await this.database.update(JobInstantEntity, { job_id, instant }, changes);
  }

  /** Puts the instant into the queue of its job. With null, no dispatcher takes it before `advanceQueue`. */
  async enqueue(instant: InstantRef, dueInMs: number | null): Promise<void> {
    const due_at = dueInMs === null ? null : new Date(this.clock.millis() + dueInMs);
    // Resets `attempts`, because waiting is not a failed attempt.
    await this.update(instant, { state: 'queued', due_at, attempts: 0 });
  }

  async countQueued(jobId: string): Promise<number> {
    const [row] = await this.database.prepared<{ queued: number }>(COUNT_QUEUED, [jobId]);
    return row?.queued ?? 0;
  }

  /** Lets dispatchers take the first queued instant of the job, if there is one. */
  async advanceQueue(jobId: string): Promise<void> {
    await this.database.prepared(ADVANCE_QUEUE, [jobId, this.clock.now()]);
  }

  /** Skips all queued instants of the job. */
  async skipQueued(jobId: string): Promise<void> {
    const instants = this.database.repository(JobInstantEntity);
    await instants.update({ job_id: jobId, state: 'queued' }, { state: 'skipped', due_at: null });
  }

  /** Deletes up to `limit` instants in a final state that were scheduled before `before`. Returns their number. */
  async prune(before: Date, limit: number): Promise<number> {
    return (await this.database.sql(PRUNE_INSTANTS, [before, limit])).length;
  }

  async lag(): Promise<ScheduleLag> {
    const [lag] = await this.database.sql<ScheduleLag>(READ_SCHEDULE_LAG);
    return lag ?? { due: 0, lag_seconds: 0 };
  }
}
