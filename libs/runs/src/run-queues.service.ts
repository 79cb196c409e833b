import { QueueRouter, type RoutedQueue } from '@app/environments';
import { DeliveryService, type Runnable } from '@app/executions';
import { DomainError, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { Injectable } from '@nestjs/common';

/** Finds the worker queues of requested runs. */
@Injectable()
export class RunQueues {
  constructor(
    private readonly router: QueueRouter,
    private readonly deliveries: DeliveryService,
    private readonly projects: ProjectLookupService,
  ) {}

  /**
   * Returns the requested queue, or one of the runnable's environments for null. Returns the error if projects allow no
   * queue, and throws `not_found` if there is no such queue.
   */
  async find(scope: Scope, runnable: Runnable, queue: string | null): Promise<RoutedQueue | DomainError> {
    const restrictions = this.projects.restrictionsOf(scope, runnable);
    const route = { queue, environmentIds: runnable.environmentIds, restrictions };
    try {
      return await this.router.route(scope, route, (queueIds) => this.deliveries.waitingIn(queueIds));
    } catch (error) {
      if (error instanceof DomainError && error.code === 'no_allowed_worker_queue') return error;
      throw error;
    }
  }
}
