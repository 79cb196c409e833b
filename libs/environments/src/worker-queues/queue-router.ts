import { Clock, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { EnvironmentRepository } from '../environments/environment.repository.js';
import { DEFAULT_ENVIRONMENT, type EnvironmentSummary } from '../environments/environment.types.js';
import { chooseQueue } from './queue-choice.js';
import { ambiguousQueue, noActiveQueue, noSuchEnvironment, noSuchQueue } from './worker-queue.errors.js';
import { WorkerQueueRepository } from './worker-queue.repository.js';
import type { QueuePlace, QueueWanted, CountByQueue } from './worker-queue.types.js';

/**
 * Finds the queue for the work of an execution. A named queue takes work in any state (a paused one keeps it); where a
 * choice is left, only active queues are chosen from. An entity's own environments are left for the default one only
 * when they have no active queue at all: work stays where it belongs even while no worker is connected there.
 */
@Injectable()
export class QueueRouter {
  constructor(
    private readonly queues: WorkerQueueRepository,
    private readonly environments: EnvironmentRepository,
    private readonly clock: Clock,
  ) {}

  async route(scope: Scope, wanted: QueueWanted, waitingWork: CountByQueue): Promise<QueuePlace> {
    const { queue, environment } = wanted;
    const only = environment == null ? undefined : await this.environmentNamed(scope, environment);
    if (queue != null) return this.named(scope, queue, only?.id);
    if (only === undefined) return this.routeAmong(scope, wanted.environmentIds ?? [], waitingWork);
    const place = await this.leastLoaded(scope, [only.id], waitingWork);
    if (place === undefined) throw noActiveQueue(`the environment ${only.name}`);
    return place;
  }

  /** An id is unique; of queues of the same name the default environment's is meant unless another one is said. */
  async named(scope: Scope, queue: string, environmentId: string | undefined): Promise<QueuePlace> {
    const found = await this.queues.findPlacesNamed(scope, queue, this.clock.now());
    const places = found.filter((place) => environmentId === undefined || place.environment_id === environmentId);
    const [first, second] = places;
    if (first === undefined) throw noSuchQueue(queue);
    if (second === undefined) return first;
    const preferred = places.find((place) => place.environment_name === DEFAULT_ENVIRONMENT);
    if (preferred === undefined) throw ambiguousQueue(queue);
    return preferred;
  }

  private async environmentNamed(scope: Scope, idOrName: string): Promise<EnvironmentSummary> {
    const environment = (await this.environments.findNamed(scope, [idOrName])).get(idOrName);
    if (environment === undefined) throw noSuchEnvironment(idOrName);
    return environment;
  }

  private async routeAmong(scope: Scope, own: readonly string[], waitingWork: CountByQueue): Promise<QueuePlace> {
    for (const environments of [own, [DEFAULT_ENVIRONMENT]]) {
      const place = await this.leastLoaded(scope, environments, waitingWork);
      if (place !== undefined) return place;
    }
    const last = `the environment ${DEFAULT_ENVIRONMENT}`;
    throw noActiveQueue(own.length > 0 ? `the environments of the agent or team, or in ${last}` : last);
  }

  private async leastLoaded(
    scope: Scope,
    environments: readonly string[],
    waitingWork: CountByQueue,
  ): Promise<QueuePlace | undefined> {
    const places = await this.queues.findActivePlacesIn(scope, environments, this.clock.now());
    if (places.length < 2) return places[0];
    const waiting = await waitingWork(places.map(({ id }) => id));
    return chooseQueue(places.map((place) => ({ ...place, waiting: waiting.get(place.id) ?? 0 })));
  }
}
