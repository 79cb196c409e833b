import { Database, isUniqueViolation } from '@app/database';
import type { JsonObject, Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { isLive } from '../workers/worker-liveness.js';
import { EnvironmentEntity } from './environment.entity.js';
import { environmentNameTaken } from './environment.errors.js';
import { namedEnvironment } from './named-environment.sql.js';
import type {
  Environment,
  EnvironmentSummary,
  NewEnvironment,
  StoredEnvironment,
  UpdateEnvironment,
} from './environment.types.js';

/** `$1` is the present time. */
const WORKER_COUNTS = `
  LEFT JOIN LATERAL (
    SELECT count(*)::int AS active_workers,
      (count(*) FILTER (WHERE w.status = 'idle'))::int AS idle_workers,
      (count(*) FILTER (WHERE w.status = 'busy'))::int AS busy_workers
    FROM worker_queues q JOIN workers w ON w.worker_queue_id = q.id
    WHERE q.environment_id = e.id AND ${isLive('$1')}
  ) counts ON true`;

const LIST_SQL = `
  SELECT e.*, counts.* FROM (
    SELECT * FROM environments WHERE organization_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4
  ) e ${WORKER_COUNTS}
  ORDER BY e.created_at DESC, e.id DESC`;

const FIND_SQL = `
  SELECT e.*, counts.* FROM (SELECT * FROM environments WHERE ${namedEnvironment('$2', '$3')}) e ${WORKER_COUNTS}`;

const FIND_NAMED_SQL = `
  SELECT asked.word, e.id, e.name, e.display_name, e.status
  FROM unnest($2::text[]) AS asked (word) CROSS JOIN LATERAL (
    SELECT id, name, display_name, status FROM environments WHERE ${namedEnvironment('$1', 'asked.word')}
  ) e`;

const LOCK_SQL = `SELECT id, name FROM environments WHERE ${namedEnvironment('$1', '$2')} FOR UPDATE`;

@Injectable()
export class EnvironmentRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, environment: NewEnvironment): Promise<StoredEnvironment> {
    const row = { ...environment, organization_id: scope.organizationId };
    try {
      await this.database.insert(EnvironmentEntity, row);
    } catch (error) {
      throw isNameTaken(error) ? environmentNameTaken(environment.name) : error;
    }
    return row;
  }

  /** Does nothing where the organisation has an environment of that name. */
  async insertIfMissing(scope: Scope, environment: NewEnvironment): Promise<void> {
    await this.database.insertIfMissing(EnvironmentEntity, { ...environment, organization_id: scope.organizationId });
  }

  async list(scope: Scope, page: Page, now: Date): Promise<Listed<Environment>> {
    const [items, counted] = await Promise.all([
      this.database.page<Environment>(page, LIST_SQL, [now, scope.organizationId, page.limit, page.skip]),
      this.database.sql<{ total: number }>(
        'SELECT count(*)::int AS total FROM environments WHERE organization_id = $1',
        [scope.organizationId],
      ),
    ]);
    return { items, total: counted[0]?.total ?? 0 };
  }

  async find(scope: Scope, idOrName: string, now: Date): Promise<Environment | undefined> {
    const [environment] = await this.database.sql<Environment>(FIND_SQL, [now, scope.organizationId, idOrName]);
    return environment;
  }

  /** Of the environment of this id, without anything else of it. */
  async findExecutionEnvironment(scope: Scope, id: string): Promise<JsonObject | undefined> {
    const [found] = await this.database.prepared<Pick<StoredEnvironment, 'execution_environment'>>(
      'environments.execution_environment',
      'SELECT execution_environment FROM environments WHERE organization_id = $1 AND id = $2',
      [scope.organizationId, id],
    );
    return found?.execution_environment;
  }

  /** Those that exist, by the id or name they were asked under. */
  async findNamed(scope: Scope, idsOrNames: readonly string[]): Promise<ReadonlyMap<string, EnvironmentSummary>> {
    if (idsOrNames.length === 0) return new Map();
    const found = await this.database.prepared<EnvironmentSummary & { readonly word: string }>(
      'environments.find_named',
      FIND_NAMED_SQL,
      [scope.organizationId, [...new Set(idsOrNames)]],
    );
    return new Map(found.map(({ word, ...environment }) => [word, environment]));
  }

  async findIdByWorkerToken(scope: Scope, workerToken: string): Promise<string | undefined> {
    const [row] = await this.database.sql<{ id: string }>(
      'SELECT id FROM environments WHERE organization_id = $1 AND worker_token = $2',
      [scope.organizationId, workerToken],
    );
    return row?.id;
  }

  /** Held until the transaction ends; a queue being made in the environment waits for it, and the other way round. */
  async lock(scope: Scope, idOrName: string): Promise<{ readonly id: string; readonly name: string } | undefined> {
    const values = [scope.organizationId, idOrName];
    const [row] = await this.database.sql<{ id: string; name: string }>(LOCK_SQL, values);
    return row;
  }

  async update(scope: Scope, id: string, changes: UpdateEnvironment & { readonly updated_at: Date }): Promise<boolean> {
    try {
      const where = { id, organization_id: scope.organizationId };
      return (await this.database.update(EnvironmentEntity, where, changes)) !== undefined;
    } catch (error) {
      throw isNameTaken(error) ? environmentNameTaken(changes.name ?? '') : error;
    }
  }

  async delete(scope: Scope, id: string): Promise<void> {
    await this.database.repository(EnvironmentEntity).delete({ id, organization_id: scope.organizationId });
  }
}

function isNameTaken(error: unknown): boolean {
  return isUniqueViolation(error, 'uq_environments_organization_id_name');
}
