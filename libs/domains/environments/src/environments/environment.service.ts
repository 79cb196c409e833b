import { EntityDependents, EntityUses } from '@app/database';
import {
  Clock,
  ENVIRONMENT_SECRETS,
  mayHideSecrets,
  rejectHiddenSecrets,
  restoreSecrets,
  type Caller,
  type JsonObject,
  type NameFilter,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { WorkerQueueRepository } from '../worker-queues/worker-queue.repository.js';
import { newEnvironment } from './environment.defaults.js';
import {
  environmentHasQueues,
  environmentInUse,
  environmentIsDefault,
  environmentNotFound,
} from './environment.errors.js';
import { EnvironmentRepository } from './environment.repository.js';
import {
  DEFAULT_ENVIRONMENT,
  type CreateEnvironment,
  type Environment,
  type EnvironmentSummary,
  type UpdateEnvironment,
} from './environment.types.js';

/** Maximum number of queues that the error of a deletion lists. */
const MAX_NAMED_QUEUES = 10;

@Injectable()
export class EnvironmentService {
  constructor(
    private readonly environments: EnvironmentRepository,
    private readonly queues: WorkerQueueRepository,
    private readonly dependents: EntityDependents,
    private readonly uses: EntityUses,
    private readonly clock: Clock,
  ) {}

  async create(caller: Caller, request: CreateEnvironment): Promise<Environment> {
    rejectHiddenSecrets(ENVIRONMENT_SECRETS, request.execution_environment, ['execution_environment']);
    const environment = newEnvironment(request, caller.userId, this.clock.now());
    const stored = await this.environments.insert(caller, environment);
    return { ...stored, active_workers: 0, idle_workers: 0, busy_workers: 0 };
  }

  async list(scope: Scope, page: Page, filter: NameFilter = {}): Promise<PageResult<Environment>> {
    return this.environments.list(scope, page, filter);
  }

  async read(scope: Scope, idOrName: string): Promise<Environment> {
    const environment = await this.environments.find(scope, idOrName);
    if (environment === undefined) throw environmentNotFound();
    return environment;
  }

  /** Returns the execution environment of an environment id; undefined if it does not exist. */
  async executionEnvironmentOf(scope: Scope, id: string): Promise<JsonObject | undefined> {
    return this.environments.findExecutionEnvironment(scope, id);
  }

  /** Returns the execution environments of those environments that exist, in the order of the given ids or names. */
  async executionEnvironmentsOf(scope: Scope, idsOrNames: readonly string[]): Promise<readonly JsonObject[]> {
    const found = await this.environments.findExecutionEnvironments(scope, idsOrNames);
    return idsOrNames.map((idOrName) => found.get(idOrName)).filter((environment) => environment !== undefined);
  }

  /** Returns the environments that exist, by the requested id or name. */
  async summaries(scope: Scope, idsOrNames: readonly string[]): Promise<ReadonlyMap<string, EnvironmentSummary>> {
    return this.environments.findNamed(scope, idsOrNames);
  }

  /** Hidden secret values keep the stored ones, see `restoreSecrets`. */
  async update(scope: Scope, idOrName: string, changes: UpdateEnvironment): Promise<Environment> {
    const { id, name } = await this.read(scope, idOrName);
    if (name === DEFAULT_ENVIRONMENT && changes.name !== undefined && changes.name !== name) {
      throw environmentIsDefault();
    }
    if (!(await this.write(scope, id, changes))) throw environmentNotFound();
    return this.read(scope, id);
  }

  private async write(scope: Scope, id: string, fields: UpdateEnvironment): Promise<boolean> {
    const changes = { ...fields, updated_at: this.clock.now() };
    const { execution_environment: sent } = fields;
    if (!mayHideSecrets(sent)) return this.environments.update(scope, id, changes);
    return this.environments.change(scope, id, ({ execution_environment: stored }) => ({
      ...changes,
      execution_environment: restoreSecrets(ENVIRONMENT_SECRETS, sent, stored, ['execution_environment']),
    }));
  }

  /** Throws a `conflict` that lists the queues of the environment, or what uses it. */
  async delete(caller: Caller, idOrName: string): Promise<void> {
    const id = (await this.environments.findNamed(caller, [idOrName])).get(idOrName)?.id;
    if (id === undefined) throw environmentNotFound();
    await this.dependents.removeWith(caller, { entity_type: 'environment', entity_id: id }, async () => {
      const environment = await this.environments.lock(caller, id);
      if (environment === undefined) throw environmentNotFound();
      if (environment.name === DEFAULT_ENVIRONMENT) throw environmentIsDefault();
      const { names, total } = await this.queues.namesIn(caller, id, MAX_NAMED_QUEUES);
      if (total > 0) throw environmentHasQueues(names, total);
      const places = await this.uses.describe(caller, 'environment', [id, environment.name]);
      if (places !== undefined) throw environmentInUse(environment.name, places);
      await this.environments.delete(caller, id);
    });
  }
}
