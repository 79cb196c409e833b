import { Database } from '@app/database';
import type { Listed, Page, Patch, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { JobEntity } from './job.entity.js';
import type { JobFilter, StoredJob } from './job.types.js';

const FIND = `
  SELECT id, organization_id, name, trigger_type, prompt_template, description, enabled, cron_schedule, cron_timezone,
    planning_mode, entity_type, entity_id, system_prompt, executor_type, worker_queue_name, environment_name, config,
    execution_environment, engine_schedule_id, webhook_token, webhook_secret, created_by, created_by_email, updated_by,
    updated_by_email, created_at, updated_at
  FROM jobs`;

@Injectable()
export class JobRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, job: Omit<StoredJob, 'organization_id'>): Promise<StoredJob> {
    const row = { ...job, organization_id: scope.organizationId };
    await this.database.insert(JobEntity, row);
    return row;
  }

  /** Newest first. */
  async list(scope: Scope, filter: JobFilter, page: Page): Promise<Listed<StoredJob>> {
    const query = this.database
      .repository(JobEntity)
      .createQueryBuilder('job')
      .where('job.organization_id = :organizationId', scope)
      .orderBy('job.created_at', 'DESC')
      .addOrderBy('job.id', 'DESC')
      .offset(page.skip)
      .limit(page.limit);
    const { enabled, status, trigger_type, entity_id } = filter;
    if (enabled !== undefined) query.andWhere('job.enabled = :enabled', { enabled });
    if (status !== undefined) query.andWhere('job.enabled = :active', { active: status === 'active' });
    if (trigger_type !== undefined) query.andWhere('job.trigger_type = :trigger_type', { trigger_type });
    if (entity_id !== undefined) query.andWhere('job.entity_id = :entity_id', { entity_id });
    const [items, total] = await query.getManyAndCount();
    return { items, total };
  }

  async find(scope: Scope, id: string): Promise<StoredJob | undefined> {
    const sql = `${FIND} WHERE organization_id = $1 AND id = $2`;
    const [job] = await this.database.prepared<StoredJob>('jobs.find', sql, [scope.organizationId, id]);
    return job;
  }

  /** Held until the transaction ends: an update that must see the whole job lets no other one in between. */
  async lock(scope: Scope, id: string): Promise<StoredJob | undefined> {
    const sql = `${FIND} WHERE organization_id = $1 AND id = $2 FOR UPDATE`;
    const [job] = await this.database.sql<StoredJob>(sql, [scope.organizationId, id]);
    return job;
  }

  /** The token itself names the organisation: whoever calls a webhook has no scope. */
  async findByWebhookToken(token: string): Promise<StoredJob | undefined> {
    const sql = `${FIND} WHERE webhook_token = $1`;
    const [job] = await this.database.prepared<StoredJob>('jobs.find_by_webhook_token', sql, [token]);
    return job;
  }

  async update(
    scope: Scope,
    id: string,
    changes: Patch<StoredJob> & { readonly updated_at: Date },
  ): Promise<StoredJob | undefined> {
    return this.database.update(JobEntity, { id, organization_id: scope.organizationId }, changes);
  }

  /** Whether there was such a job. */
  async delete(scope: Scope, id: string): Promise<boolean> {
    const result = await this.database.repository(JobEntity).delete({ id, organization_id: scope.organizationId });
    return (result.affected ?? 0) > 0;
  }
}
