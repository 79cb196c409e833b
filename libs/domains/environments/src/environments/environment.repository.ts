import { Database, rejectDuplicate } from '@app/database';
import {
  withoutUndefined,
  type JsonObject,
  type NameFilter,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { EnvironmentEntity } from './environment.entity.js';
import { environmentNameTaken } from './environment.errors.js';
import {
  COUNT_WORKERS,
  FIND_ENVIRONMENT,
  FIND_EXECUTION_ENVIRONMENT,
  FIND_EXECUTION_ENVIRONMENTS,
  FIND_NAMED_ENVIRONMENTS,
  LOCK_ENVIRONMENT,
} from './environment.sql.js';
import type {
  Environment,
  EnvironmentSummary,
  NewEnvironment,
  StoredEnvironment,
  UpdateEnvironment,
  LiveWorkerCounts,
} from './environment.types.js';

type EnvironmentChanges = UpdateEnvironment & { readonly updated_at: Date };

const UNIQUE_NAME = 'uq_environments_organization_id_name';

@Injectable()
export class EnvironmentRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, environment: NewEnvironment): Promise<StoredEnvironment> {
    const inserted = this.database.insert(EnvironmentEntity, { ...environment, organization_id: organizationId });
    return rejectDuplicate(inserted, UNIQUE_NAME, () => environmentNameTaken(environment.name));
  }

  /** Does nothing if the organization has an environment with this name. */
  async insertIfMissing({ organizationId }: Scope, environment: NewEnvironment): Promise<void> {
    await this.database.insertIfMissing(EnvironmentEntity, { ...environment, organization_id: organizationId });
  }

  /** Newest first. */
  async list({ organizationId }: Scope, page: Page, { name }: NameFilter): Promise<PageResult<Environment>> {
    const query = this.database
      .select(EnvironmentEntity, 'environment', { ...withoutUndefined({ name }), organization_id: organizationId })
      .orderBy('environment.created_at', 'DESC');
    const { items, ...paging } = await this.database.listPage(query, page);
    const ids = items.map(({ id }) => id);
    const values = [organizationId, ids];
    const counted = await this.database.sql<LiveWorkerCounts & { readonly id: string }>(COUNT_WORKERS, values);
    const counts = new Map(counted.map(({ id, ...count }) => [id, count]));
    return { ...paging, items: items.map((item) => ({ ...item, ...(counts.get(item.id) ?? NO_WORKERS) })) };
  }

  async find({ organizationId }: Scope, idOrName: string): Promise<Environment | undefined> {
    const [environment] = await this.database.sql<Environment>(FIND_ENVIRONMENT, [organizationId, idOrName]);
    return environment;
  }

  /** Returns the `execution_environment` of the environment with this id. */
  async findExecutionEnvironment({ organizationId }: Scope, id: string): Promise<JsonObject | undefined> {
    const [found] = await this.database.shared<Pick<StoredEnvironment, 'execution_environment'>>(
      FIND_EXECUTION_ENVIRONMENT,
      [organizationId, id],
    );
    return found?.execution_environment;
  }

  /**
   * Returns the `execution_environment` of the environments that exist, by the requested id or name. Throws `conflict`
   * if they are too large together.
   */
  async findExecutionEnvironments(
    { organizationId }: Scope,
    idsOrNames: readonly string[],
  ): Promise<ReadonlyMap<string, JsonObject>> {
    const found = await this.database.boundedSet<
      Pick<StoredEnvironment, 'execution_environment'> & { readonly word: string }
    >('The execution environments of the environments', { text: FIND_EXECUTION_ENVIRONMENTS }, [
      organizationId,
      idsOrNames,
    ]);
    return new Map(found.map(({ word, execution_environment: environment }) => [word, environment]));
  }

  /** Returns the environments that exist, by the requested id or name. */
  async findNamed(
    { organizationId }: Scope,
    idsOrNames: readonly string[],
  ): Promise<ReadonlyMap<string, EnvironmentSummary>> {
    if (idsOrNames.length === 0) return new Map();
    const found = await this.database.shared<EnvironmentSummary & { readonly word: string }>(FIND_NAMED_ENVIRONMENTS, [
      organizationId,
      [...new Set(idsOrNames)],
    ]);
    return new Map(found.map(({ word, ...environment }) => [word, environment]));
  }

  async findIdByWorkerToken({ organizationId }: Scope, workerToken: string): Promise<string | undefined> {
    const named = { organization_id: organizationId, worker_token: workerToken };
    return (await this.database.findOne(EnvironmentEntity, named))?.id;
  }

  /**
   * Locks the environment until the transaction ends, so that its deletion and the creation of a queue in it cannot
   * overlap.
   */
  async lock({ organizationId }: Scope, idOrName: string): Promise<Pick<StoredEnvironment, 'id' | 'name'> | undefined> {
    const values = [organizationId, idOrName];
    const [row] = await this.database.sql<Pick<StoredEnvironment, 'id' | 'name'>>(LOCK_ENVIRONMENT, values);
    return row;
  }

  /** Locks the environment and writes what `changesOf` returns for it, in one transaction. Returns like `update`. */
  async change(
    scope: Scope,
    id: string,
    changesOf: (before: StoredEnvironment) => EnvironmentChanges,
  ): Promise<boolean> {
    return this.database.transaction(async () => {
      const before = await this.database.lockOne(EnvironmentEntity, { id, organization_id: scope.organizationId });
      return before !== undefined && this.update(scope, id, changesOf(before));
    });
  }

  /** Returns false if there is no such environment. */
  async update({ organizationId }: Scope, id: string, changes: EnvironmentChanges): Promise<boolean> {
    const updated = this.database.update(EnvironmentEntity, { id, organization_id: organizationId }, changes);
    const duplicate = (): Error => environmentNameTaken(changes.name ?? '');
    return (await rejectDuplicate(updated, UNIQUE_NAME, duplicate)) !== undefined;
  }

  async delete({ organizationId }: Scope, id: string): Promise<void> {
    await this.database.delete(EnvironmentEntity, { id, organization_id: organizationId });
  }
}

const NO_WORKERS: LiveWorkerCounts = { active_workers: 0, idle_workers: 0, busy_workers: 0 };
