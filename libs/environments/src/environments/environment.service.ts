import { Database, EntityDependents, EntityUses } from '@app/database';
import {
  Clock,
  newId,
  randomBase62,
  type Caller,
  type JsonObject,
  type PageResult,
  type Page,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { WorkerQueueRepository } from '../worker-queues/worker-queue.repository.js';
import { newWorkerQueue } from '../worker-queues/worker-queue.defaults.js';
import { DEFAULT_WORKER_QUEUE } from '../worker-queues/worker-queue.types.js';
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
  type EnvironmentFields,
  type EnvironmentSummary,
  type NewEnvironment,
  type UpdateEnvironment,
} from './environment.types.js';

const WORKER_TOKEN_LENGTH = 32;
/** Maximum number of queues that the error of a deletion lists. */
const MAX_NAMED_QUEUES = 10;

/** Values of fields that the client does not send. */
const DEFAULTS: Omit<EnvironmentFields, 'name'> = {
  display_name: '',
  description: null,
  tags: [],
  settings: {},
  execution_environment: {},
  status: 'active',
};

@Injectable()
export class EnvironmentService {
  constructor(
    private readonly environments: EnvironmentRepository,
    private readonly queues: WorkerQueueRepository,
    private readonly dependents: EntityDependents,
    private readonly uses: EntityUses,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async create(caller: Caller, request: CreateEnvironment): Promise<Environment> {
    const environment = newEnvironment(request, caller.userId, this.clock.now());
    const stored = await this.environments.insert(caller, environment);
    return { ...stored, active_workers: 0, idle_workers: 0, busy_workers: 0 };
  }

  /** Creates the environment `default` with the worker queue `default`. Idempotent. */
  async provisionDefaults(scope: Scope): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async () => {
      await this.environments.insertIfMissing(scope, newEnvironment({ name: DEFAULT_ENVIRONMENT }, null, now));
      const environment = await this.environments.lock(scope, DEFAULT_ENVIRONMENT);
      if (environment === undefined) throw environmentNotFound();
      const queue = newWorkerQueue(environment.id, { name: DEFAULT_WORKER_QUEUE }, null, now);
      await this.queues.insertIfMissing(scope, queue);
    });
  }

  async list(scope: Scope, page: Page): Promise<PageResult<Environment>> {
    return this.environments.list(scope, page);
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

  async update(scope: Scope, idOrName: string, changes: UpdateEnvironment): Promise<Environment> {
    const { id, name } = await this.read(scope, idOrName);
    if (name === DEFAULT_ENVIRONMENT && changes.name !== undefined && changes.name !== name) {
      throw environmentIsDefault();
    }
    const updated = await this.environments.update(scope, id, { ...changes, updated_at: this.clock.now() });
    if (!updated) throw environmentNotFound();
    return this.read(scope, id);
  }

  /** Throws a `conflict` that lists the queues of the environment, or what uses it. */
  async delete(scope: Scope, idOrName: string): Promise<void> {
    await this.database.transaction(async () => {
      const environment = await this.environments.lock(scope, idOrName);
      if (environment === undefined) throw environmentNotFound();
      if (environment.name === DEFAULT_ENVIRONMENT) throw environmentIsDefault();
      const { names, total } = await this.queues.namesIn(scope, environment.id, MAX_NAMED_QUEUES);
      if (total > 0) throw environmentHasQueues(names, total);
      const places = await this.uses.describe(scope, 'environment', [environment.id, environment.name]);
      if (places !== undefined) throw environmentInUse(environment.name, places);
      await this.environments.delete(scope, environment.id);
      await this.dependents.removeOf(scope, { entity_type: 'environment', entity_id: environment.id });
    });
  }
}

/** An environment needs no set-up, so `provisioned_at` is its creation time. */
function newEnvironment(request: CreateEnvironment, createdBy: string | null, now: Date): NewEnvironment {
  return {
    ...DEFAULTS,
    ...request,
    id: newId(),
    worker_token: randomBase62(WORKER_TOKEN_LENGTH),
    provisioned_at: now,
    error_message: null,
    created_by: createdBy,
    created_at: now,
    updated_at: now,
  };
}
