import { Database } from '@app/database';
import { Clock, withoutUndefined, type Page, type PageResult, type Patch, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { JobEntity } from './job.entity.js';
import {
  COUNT_SCHEDULED,
  FIND_DUE_JOB,
  FIND_JOB,
  FIND_JOB_BY_WEBHOOK_TOKEN,
  FIND_SCHEDULED,
  LOCK_DUE_JOB,
  LOCK_DUE_JOBS,
  LOCK_JOB_FOR_START,
  MOVE_BACK,
  MOVE_NEXT,
} from './job.sql.js';
import type { JobFilter, NewJob, Job, ScheduledJob } from './job.types.js';

@Injectable()
export class JobRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Sets `created_at` and `updated_at`. */
  async insert({ organizationId }: Scope, job: NewJob): Promise<Job> {
    const now = this.clock.now();
    return this.database.insert(JobEntity, {
      ...job,
      organization_id: organizationId,
      created_at: now,
      updated_at: now,
    });
  }

  /** Newest first. */
  async list({ organizationId }: Scope, filter: JobFilter, page: Page): Promise<PageResult<Job>> {
    const { name, status, enabled, trigger_type, entity_id } = filter;
    const given = withoutUndefined({ name, enabled, trigger_type, entity_id });
    const query = this.database
      .select(JobEntity, 'job', { ...given, organization_id: organizationId })
      .orderBy('job.created_at', 'DESC');
    if (status !== undefined) query.andWhere('job.enabled = :active', { active: status === 'active' });
    return this.database.listPage(query, page);
  }

  async find({ organizationId }: Scope, id: string): Promise<Job | undefined> {
    const [job] = await this.database.shared<Job>(FIND_JOB, [organizationId, id]);
    return job;
  }

  /** Has no scope parameter, because a webhook call has no caller: the token determines the organization. */
  async findByWebhookToken(token: string): Promise<Job | undefined> {
    const [job] = await this.database.shared<Job>(FIND_JOB_BY_WEBHOOK_TOKEN, [token]);
    return job;
  }

  /**
   * Locks the job and writes what `changesOf` returns for it, in one transaction; sets `updated_at`. Returns undefined
   * if there is no such job.
   */
  async change(
    { organizationId }: Scope,
    id: string,
    changesOf: (before: Job) => Patch<Job> | Promise<Patch<Job>>,
  ): Promise<Job | undefined> {
    const where = { id, organization_id: organizationId };
    return this.database.transaction(async () => {
      const before = await this.database.lockOne(JobEntity, where);
      if (before === undefined) return undefined;
      const changes = await changesOf(before);
      return this.database.update(JobEntity, where, { ...changes, updated_at: this.clock.now() });
    });
  }

  /** Returns false if there is no such job. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(JobEntity, { id, organization_id: organizationId });
  }

  /** Locks the job like `change`, but other transactions can still insert rows that refer to it. */
  async lockForStart({ organizationId }: Scope, id: string): Promise<Job | undefined> {
    const [job] = await this.database.prepared<Job>(LOCK_JOB_FOR_START, [organizationId, id]);
    return job;
  }

  /** Locks due jobs of all organizations in turn, except those that another transaction has locked. */
  async lockDue(now: Date, limit: number): Promise<ScheduledJob[]> {
    return this.database.prepared<ScheduledJob>(LOCK_DUE_JOBS, [now, limit]);
  }

  /** Returns whether a job of any organization is due. */
  async isDue(now: Date, id: string): Promise<boolean> {
    return (await this.database.shared(FIND_DUE_JOB, [now, id])).length > 0;
  }

  /** Locks one job of any organization if it is due. */
  async lockIfDue(now: Date, id: string): Promise<ScheduledJob[]> {
    return this.database.prepared<ScheduledJob>(LOCK_DUE_JOB, [now, id]);
  }

  /** Stores the next times of locked jobs. */
  async moveNext(moves: readonly { readonly id: string; readonly next: Date | null }[]): Promise<void> {
    await this.database.prepared(MOVE_NEXT, [moves.map(({ id }) => id), moves.map(({ next }) => next)]);
  }

  /** Returns the jobs of all organizations that have a scheduler, after an id, in the order of their ids. */
  async findScheduled(after: string, limit: number): Promise<ScheduledJob[]> {
    return this.database.prepared<ScheduledJob>(FIND_SCHEDULED, [after, limit]);
  }

  /** Returns the ids that belong to jobs with a scheduler, of any organization. */
  async scheduledAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const query = this.database.select(JobEntity, 'job', { engine_schedule_id: Any(ids) }).select('job.id');
    return new Set((await this.database.rows<JobEntity, Pick<Job, 'id'>>(query)).map(({ id }) => id));
  }

  /** Returns the number of jobs with a scheduler, of all organizations. */
  async countScheduled(): Promise<number> {
    const [row] = await this.database.prepared<{ jobs: number }>(COUNT_SCHEDULED, []);
    return row?.jobs ?? 0;
  }

  /**
   * Replaces the next time of a job of any organization. Returns false if the stored time has changed, or if the new
   * time has passed.
   */
  async moveBack(id: string, stored: Date, next: Date): Promise<boolean> {
    return (await this.database.prepared(MOVE_BACK, [id, stored, next])).length > 0;
  }
}
