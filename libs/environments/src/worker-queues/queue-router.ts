import { Clock, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { EnvironmentRepository } from '../environments/environment.repository.js';
import { DEFAULT_ENVIRONMENT } from '../environments/environment.types.js';
import { chooseQueue } from './queue-choice.js';
import { ambiguousQueue, noActiveQueue, noSuchEnvironment, noSuchQueue } from './worker-queue.errors.js';
import { WorkerQueueRepository } from './worker-queue.repository.js';
import type { QueuePlace, QueueWanted, WaitingWork } from './worker-queue.types.js';

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

  async route(scope: Scope, wanted: QueueWanted, waitingWork: WaitingWork): Promise<QueuePlace> {
    const { queue, environment } = wanted;
    if (queue != null) return this.named(scope, queue, environment ?? null);
    if (environment != null) return this.inEnvironment(scope, environment, waitingWork);
    const own = wanted.environmentIds ?? [];
    for (const environments of [own, [DEFAULT_ENVIRONMENT]]) {
      const place = await this.leastLoaded(scope, environments, waitingWork);
      if (place !== undefined) return place;
    }
    throw noActiveQueue(
      own.length > 0 ? `the environments of the agent or team, or in ${DEFAULT_ENVIRONMENT}` : DEFAULT_ENVIRONMENT,
    );
  }

  /** An id is unique; of queues of the same name the default environment's is meant unless another one is named. */
  async named(scope: Scope, queue: string, environment: string | null): Promise<QueuePlace> {
    const found = await this.queues.findPlacesNamed(scope, queue, this.clock.now());
    const places = environment === null ? found : found.filter((place) => isIn(place, environment));
    const [first, second] = places;
    if (first === undefined) throw noSuchQueue(queue);
    if (second === undefined || first.id === queue) return first;
    const preferred = places.find((place) => place.environment_name === DEFAULT_ENVIRONMENT);
    if (preferred === undefined) throw ambiguousQueue(queue);
    return preferred;
  }

  private async inEnvironment(scope: Scope, environment: string, waitingWork: WaitingWork): Promise<QueuePlace> {
    const [exists] = await this.environments.findSummaries(scope, [environment]);
    if (exists === undefined) throw noSuchEnvironment(environment);
    const place = await this.leastLoaded(scope, [environment], waitingWork);
    if (place === undefined) throw noActiveQueue(environment);
    return place;
  }

  private async leastLoaded(
    scope: Scope,
    environments: readonly string[],
    waitingWork: WaitingWork,
  ): Promise<QueuePlace | undefined> {
    if (environments.length === 0) return undefined;
    const places = await this.queues.findActivePlacesIn(scope, environments, this.clock.now());
    if (places.length < 2) return places[0];
    const ids = places.map(({ id }) => id);
    const waiting = await waitingWork(ids);
    return chooseQueue(places.map((place) => ({ ...place, waiting: waiting.get(place.id) ?? 0 })));
  }
}

function isIn(place: QueuePlace, environment: string): boolean {
  return place.environment_id === environment || place.environment_name === environment;
}
