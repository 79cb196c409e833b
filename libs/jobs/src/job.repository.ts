import { Database } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Patch, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { JobEntity } from './job.entity.js';
import { FIND_JOB, FIND_JOB_BY_WEBHOOK_TOKEN, FIND_PASSED, MOVE_PASSED } from './job.sql.js';
import type { JobFilter, NewJob, Job, ScheduledJob } from './job.types.js';

@Injectable()
export class JobRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, job: NewJob): Promise<Job> {
    return this.database.insert(JobEntity, { ...job, organization_id: organizationId });
  }

  /** Newest first. */
  async list({ organizationId }: Scope, filter: JobFilter, page: Page): Promise<PageResult<Job>> {
    const { status, enabled, trigger_type, entity_id } = filter;
    const given = withoutUndefined({ enabled, trigger_type, entity_id });
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

  /** Locks the job until the transaction ends, for an update that depends on the whole job. */
  async lock({ organizationId }: Scope, id: string): Promise<Job | undefined> {
    return this.database.lockOne(JobEntity, { id, organization_id: organizationId });
  }

  /** Has no scope parameter, because a webhook call has no caller: the token determines the organization. */
  async findByWebhookToken(token: string): Promise<Job | undefined> {
    const [job] = await this.database.shared<Job>(FIND_JOB_BY_WEBHOOK_TOKEN, [token]);
    return job;
  }

  async update(
    { organizationId }: Scope,
    id: string,
    changes: Patch<Job> & { readonly updated_at: Date },
  ): Promise<Job | undefined> {
    return this.database.update(JobEntity, { id, organization_id: organizationId }, changes);
  }

  /** Returns false if there is no such job. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(JobEntity, { id, organization_id: organizationId });
  }

  /** Of all organizations: the jobs whose next time has passed, longest first. */
  async findPassed(now: Date, limit: number): Promise<ScheduledJob[]> {
    return this.database.prepared<ScheduledJob>(FIND_PASSED, [now, limit]);
  }

  /** Stores the next time of each job, unless the job was changed after it was read. */
  async movePassed(moves: readonly { readonly job: ScheduledJob; readonly next: Date | null }[]): Promise<void> {
    const ids = moves.map(({ job }) => job.id);
    const passed = moves.map(({ job }) => job.next_execution_at);
    await this.database.prepared(MOVE_PASSED, [ids, passed, moves.map(({ next }) => next)]);
  }
}
