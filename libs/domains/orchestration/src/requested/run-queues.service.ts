import { QueueRouter, type RoutedQueue } from '@app/environments';
import { DeliveryService, runNeedsOf, type Runnable } from '@app/executions';
import { DomainError, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { Injectable } from '@nestjs/common';

/** Codes of errors with which the run fails instead of being rejected. */
const REFUSALS: readonly string[] = ['no_allowed_worker_queue', 'no_worker_with_runtime'];

/** Finds the worker queues of requested runs. */
@Injectable()
export class RunQueuesService {
  constructor(
    private readonly router: QueueRouter,
    private readonly deliveries: DeliveryService,
    private readonly projects: ProjectLookupService,
  ) {}

  /**
   * Returns the requested queue; for null, a queue of the runnable's environments. Returns the error if projects
   * allow no queue or the live workers of the queue lack the runtime. Throws `not_found` if the queue does not exist.
   */
  async find(scope: Scope, runnable: Runnable, queue: string | null): Promise<RoutedQueue | DomainError> {
    const restrictions = this.projects.restrictionsOf(scope, runnable);
    const route = { queue, environmentIds: runnable.environmentIds, restrictions, needs: runNeedsOf(runnable) };
    try {
      return await this.router.route(scope, route, (queueIds) => this.deliveries.waitingIn(queueIds));
    } catch (error) {
      if (error instanceof DomainError && REFUSALS.includes(error.code)) return error;
      throw error;
    }
  }
}
