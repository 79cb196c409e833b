import { Database, rejectDuplicate } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { QueryDeepPartialEntity } from 'typeorm';
import { startedRunner } from './runner.defaults.js';
import { RunnerEntity } from './runner.entity.js';
import { runnerNameTaken } from './runner.errors.js';
import type { NewRunner, Runner, RunnerFilter, UpdateRunner } from './runner.types.js';

const UNIQUE_NAME = 'uq_runners_organization_id_name';

@Injectable()
export class RunnerRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, runner: NewRunner): Promise<Runner> {
    const inserted = this.database.insert(RunnerEntity, { ...runner, organization_id: organizationId });
    return rejectDuplicate(inserted, UNIQUE_NAME, () => runnerNameTaken(runner.name));
  }

  /**
   * Records the start of a worker that names this runner; creates the runner if there is none. Does not change
   * `updated_at`, because a worker does not change the runner. Waits for a concurrent deletion of the runner and then
   * creates it again.
   */
  async recordStart({ organizationId }: Scope, name: string, now: Date): Promise<void> {
    const query = this.database.repository(RunnerEntity).createQueryBuilder().insert();
    const row = { ...startedRunner(name, now), organization_id: organizationId };
    // The type of `values` does not accept a free-form object.
    await query
      .values(row as QueryDeepPartialEntity<RunnerEntity>)
      .orUpdate(['last_started_at'], ['organization_id', 'name'])
      .execute();
  }

  /** Newest first. */
  async list({ organizationId }: Scope, { name, tag }: RunnerFilter, page: Page): Promise<PageResult<Runner>> {
    const query = this.database
      .select(RunnerEntity, 'runner', { ...withoutUndefined({ name }), organization_id: organizationId })
      .orderBy('runner.created_at', 'DESC');
    if (tag !== undefined) query.andWhere(':tag = ANY(runner.tags)', { tag });
    return this.database.listPage(query, page);
  }

  async find({ organizationId }: Scope, id: string): Promise<Runner | undefined> {
    return this.database.findOne(RunnerEntity, { id, organization_id: organizationId });
  }

  /** Locks the runner until the transaction ends. */
  async lock({ organizationId }: Scope, id: string): Promise<Runner | undefined> {
    return this.database.lockOne(RunnerEntity, { id, organization_id: organizationId });
  }

  async update(
    { organizationId }: Scope,
    id: string,
    changes: UpdateRunner & { readonly updated_at: Date },
  ): Promise<Runner | undefined> {
    const updated = this.database.update(RunnerEntity, { id, organization_id: organizationId }, changes);
    return rejectDuplicate(updated, UNIQUE_NAME, () => runnerNameTaken(changes.name ?? ''));
  }

  async delete({ organizationId }: Scope, id: string): Promise<void> {
    await this.database.delete(RunnerEntity, { id, organization_id: organizationId });
  }
}
