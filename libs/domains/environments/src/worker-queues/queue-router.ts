import type { DomainError, Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { SkillAssociationService } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EnvironmentRepository } from '../environments/environment.repository.js';
import { DEFAULT_ENVIRONMENT, type EnvironmentSummary } from '../environments/environment.types.js';
import { bestServed, chooseByWaiting } from './queue-choice.js';
import {
  ambiguousQueue,
  noActiveQueue,
  noSuchEnvironment,
  noSuchQueue,
  noWorkerWithRuntime,
  queueNotAllowed,
} from './worker-queue.errors.js';
import { WorkerRepository } from '../workers/worker.repository.js';
import { WorkerQueueRepository } from './worker-queue.repository.js';
import type { RoutedQueue, QueueRequest, CountByQueue, RunNeeds } from './worker-queue.types.js';

/** Minimum time between two warnings about the same queue. */
const WARNING_INTERVAL_MS = 3_600_000;

/** The environments whose queues may be used, as names by id; undefined if every environment is allowed. */
type Allowed = ReadonlyMap<string, string> | undefined;

/**
 * Finds the worker queue for an execution. A named queue is used in any state (a paused queue keeps its work);
 * otherwise only active queues are candidates. The default environment is used only if the environments of the runnable
 * have no active queue: work stays in its environment even while no worker is connected there. Restrictions apply to
 * named queues too. If there are restrictions, the allowed environments are the fallback instead of the default
 * environment.
 */
@Injectable()
export class QueueRouter {
  private readonly logger = createLogger('environments');
  private readonly warned = new LRUCache<string, true>({ max: 1000, ttl: WARNING_INTERVAL_MS });

  constructor(
    private readonly queues: WorkerQueueRepository,
    private readonly environments: EnvironmentRepository,
    private readonly workers: WorkerRepository,
    private readonly skills: SkillAssociationService,
  ) {}

  async route(scope: Scope, request: QueueRequest, waitingWork: CountByQueue): Promise<RoutedQueue> {
    const queue = await this.choose(scope, request, waitingWork);
    if (queue.live_workers === 0) this.warnOnce(queue);
    else await this.checkRuntime(scope, queue, request.needs?.runtime ?? null);
    return queue;
  }

  private async checkRuntime(scope: Scope, queue: RoutedQueue, runtime: string | null): Promise<void> {
    if (runtime === null || queue.able_workers > 0) return;
    throw noWorkerWithRuntime(queue.name, runtime, await this.workers.runtimesOffered(scope, queue.id));
  }

  private async choose(scope: Scope, request: QueueRequest, waitingWork: CountByQueue): Promise<RoutedQueue> {
    const { queue: idOrName, environment } = request;
    const [only, allowed, named] = await Promise.all([
      environment == null ? undefined : this.findEnvironment(scope, environment),
      this.findAllowed(scope, request.restrictions),
      idOrName == null ? [] : this.queues.findRoutedNamed(scope, idOrName, request.needs),
    ]);
    if (idOrName != null) return chooseNamed(named, idOrName, only?.id, allowed);
    if (only === undefined) {
      if (allowed === undefined) return this.routeAmong(scope, request, waitingWork);
      return this.routeAmongAllowed(scope, request, allowed, waitingWork);
    }
    if (allowed?.has(only.id) === false) throw notAllowed(`the environment ${only.name} is not among them`, allowed);
    const queue = await this.leastLoaded(scope, [only.id], request, waitingWork);
    if (queue === undefined) throw noActiveQueue(`the environment ${only.name}`);
    return queue;
  }

  /** Finds a queue by id or name. Of several queues with this name, the one in the default environment is used. */
  async findNamed(scope: Scope, idOrName: string, environmentId: string | undefined): Promise<RoutedQueue> {
    return chooseNamed(await this.queues.findRoutedNamed(scope, idOrName), idOrName, environmentId);
  }

  private warnOnce({ id, name, environment_name: environment }: RoutedQueue): void {
    if (this.warned.has(id)) return;
    this.warned.set(id, true);
    this.logger.warn({ queue_id: id, queue: name, environment }, 'work routed to a queue without a live worker');
  }

  private async findEnvironment(scope: Scope, idOrName: string): Promise<EnvironmentSummary> {
    const environment = (await this.environments.findNamed(scope, [idOrName])).get(idOrName);
    if (environment === undefined) throw noSuchEnvironment(idOrName);
    return environment;
  }

  private async routeAmong(scope: Scope, request: QueueRequest, waitingWork: CountByQueue): Promise<RoutedQueue> {
    const own = request.environmentIds ?? [];
    for (const environments of [own, [DEFAULT_ENVIRONMENT]]) {
      const queue = await this.leastLoaded(scope, environments, request, waitingWork);
      if (queue !== undefined) return queue;
    }
    const last = `the environment ${DEFAULT_ENVIRONMENT}`;
    throw noActiveQueue(own.length > 0 ? `the environments of the agent or team, or in ${last}` : last);
  }

  /** The environments of the runnable precede the other allowed ones. */
  private async routeAmongAllowed(
    scope: Scope,
    request: QueueRequest,
    allowed: NonNullable<Allowed>,
    waitingWork: CountByQueue,
  ): Promise<RoutedQueue> {
    const found = await this.environments.findNamed(scope, request.environmentIds ?? []);
    const preferred = [...found.values()].map(({ id }) => id).filter((id) => allowed.has(id));
    for (const environments of [preferred, [...allowed.keys()]]) {
      const queue = await this.leastLoaded(scope, environments, request, waitingWork);
      if (queue !== undefined) return queue;
    }
    throw notAllowed('none has an active worker queue', allowed);
  }

  /** Returns the environments that every restriction lists. */
  private async findAllowed(scope: Scope, requested: QueueRequest['restrictions']): Promise<Allowed> {
    const restrictions = (await requested) ?? [];
    if (restrictions.length === 0) return undefined;
    const found = await this.environments.findNamed(scope, restrictions.flat());
    const lists = restrictions.map((words) => new Set(words.flatMap((word) => found.get(word)?.id ?? [])));
    const allowed = [...found.values()].filter(({ id }) => lists.every((list) => list.has(id)));
    return new Map(allowed.map(({ id, name }) => [id, name]));
  }

  private async leastLoaded(
    scope: Scope,
    environments: readonly string[],
    { needs }: QueueRequest,
    waitingWork: CountByQueue,
  ): Promise<RoutedQueue | undefined> {
    const active = await this.queues.findRoutedActiveIn(scope, environments, needs);
    const queues = await this.withSkills(scope, bestServed(active), needs);
    if (queues.length < 2) return queues[0];
    return chooseByWaiting(queues, waitingWork);
  }

  /**
   * Returns the queues whose workers offer the skills of the run, or all queues if none does. Executes statements only
   * if the workers of the queues differ in their skills.
   */
  private async withSkills(
    scope: Scope,
    queues: readonly RoutedQueue[],
    needs: RunNeeds | undefined,
  ): Promise<readonly RoutedQueue[]> {
    const sets = new Set(queues.flatMap(({ first_skills, last_skills }) => [first_skills, last_skills]));
    if (needs === undefined || sets.size < 2) return queues;
    // Associations have the ids of environments, whereas runnables can name them.
    const found = await this.environments.findNamed(scope, needs.environmentIds);
    const environments = [...found.values()].map(({ id }) => ({ entity_type: 'environment', entity_id: id }));
    const types = await this.skills.toolTypesOf(scope, [...needs.skillHolders, ...environments]);
    if (types.length === 0) return queues;
    const ids = queues.map(({ id }) => id);
    const served = await this.queues.findWithSkills(scope, ids, needs, types);
    const suited = queues.filter(({ id }) => served.has(id));
    return suited.length > 0 ? suited : queues;
  }
}

/** Chooses the queue in the default environment among several with the same name. Throws if none is allowed. */
function chooseNamed(
  found: readonly RoutedQueue[],
  idOrName: string,
  environmentId: string | undefined,
  allowed?: Allowed,
): RoutedQueue {
  const existing = found.filter((queue) => environmentId === undefined || queue.environment_id === environmentId);
  if (existing.length === 0) throw noSuchQueue(idOrName);
  const matching = existing.filter((queue) => allowed?.has(queue.environment_id) !== false);
  const [first, second] = matching;
  if (first === undefined) throw notAllowed(`the worker queue ${idOrName} is in none of them`, allowed);
  if (second === undefined) return first;
  const preferred = matching.find((queue) => queue.environment_name === DEFAULT_ENVIRONMENT);
  if (preferred === undefined) throw ambiguousQueue(idOrName);
  return preferred;
}

function notAllowed(reason: string, allowed: Allowed): DomainError {
  return queueNotAllowed(reason, [...(allowed?.values() ?? [])]);
}
