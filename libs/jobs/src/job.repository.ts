import { Database } from '@app/database';
import type { Listed, Page, Patch, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { JobEntity } from './job.entity.js';
import type { JobFilter, StoredJob } from './job.types.js';

const COLUMNS = `id, organization_id, name, trigger_type, prompt_template, description, enabled, cron_schedule, cron_timezone,
    planning_mode, entity_type, entity_id, system_prompt, executor_type, worker_queue_name, environment_name, config,
    execution_environment, engine_schedule_id, webhook_token, webhook_secret, created_by, created_by_email, updated_by,
    updated_by_email, created_at, updated_at`;

const FIND = `SELECT ${COLUMNS} FROM jobs`;

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
    const { enabled, status, trigger_type, entity_id } = filter;
    const active = status === undefined ? null : status === 'active';
    return this.database.list<StoredJob>(page, {
      columns: COLUMNS,
      from: `jobs WHERE organization_id = $1 AND ($2::boolean IS NULL OR enabled = $2)
        AND ($3::boolean IS NULL OR enabled = $3) AND ($4::text IS NULL OR trigger_type = $4)
        AND ($5::text IS NULL OR entity_id = $5)`,
      order: 'created_at DESC, id DESC',
      values: [scope.organizationId, enabled ?? null, active, trigger_type ?? null, entity_id ?? null],
    });
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
