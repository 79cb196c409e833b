import { QueueRouter, unservedName, type QueueRequest, type RoutedQueue } from '@app/environments';
import {
  DeliveryService,
  EXECUTION_TYPES,
  runNeedsOf,
  RunnableSources,
  type ExecutionAssignment,
  type ExecutionType,
  type Runnable,
} from '@app/executions';
import { DomainError, withoutUndefined, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { Injectable } from '@nestjs/common';
import { PREDEFINED_KINDS, type Job, type JobFields } from '../jobs/job.types.js';

/** What a job runs and the queue it uses, resolved when the job fires. */
export interface JobTarget {
  readonly runnable: Runnable | undefined;
  readonly assignment: ExecutionAssignment | undefined;
  /** The queue of the assignment. */
  readonly queue: RoutedQueue | undefined;
  /** Name of the queue if it has no live worker, otherwise null. */
  readonly unservedQueue: string | null;
  /** One message for each missing resource that the job names; empty if and only if there is an assignment. */
  readonly missing: readonly string[];
}

const NO_QUEUE = { assignment: undefined, queue: undefined, unservedQueue: null } as const;

/** Resolves the names in a job: its runnable, and the worker queue according to its executor type. */
@Injectable()
export class JobTargetService {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly router: QueueRouter,
    private readonly deliveries: DeliveryService,
    private readonly projects: ProjectLookupService,
  ) {}

  async find(scope: Scope, job: JobFields): Promise<JobTarget> {
    const kind = runnableKindOf(job);
    const id = job.entity_id;
    const runnable = id === null ? undefined : await this.runnables.find(scope, { kind, id });
    const runnableMissing = id !== null && runnable === undefined ? [`There is no ${kind} ${id}`] : [];
    // With `auto`, the queue is chosen in the environments of the runnable, so none can be found without a runnable.
    if (job.executor_type === 'auto' && runnableMissing.length > 0) {
      return { ...NO_QUEUE, runnable, missing: runnableMissing };
    }
    const restrictions = runnable === undefined ? [] : this.projects.restrictionsOf(scope, runnable);
    const request = { ...queueRequestOf(job, runnable?.environmentIds ?? []), restrictions };
    const needs = runnable === undefined ? undefined : runNeedsOf(runnable);
    const found = await this.findQueue(scope, withoutUndefined({ ...request, needs }));
    const missing = [...runnableMissing, ...('missing' in found ? [found.missing] : [])];
    if ('missing' in found || missing.length > 0) {
      return { ...NO_QUEUE, runnable, missing };
    }
    const assignment = { workerQueueId: found.id, environmentId: found.environment_id };
    return { runnable, assignment, queue: found, unservedQueue: unservedName(found), missing };
  }

  private async findQueue(scope: Scope, request: QueueRequest): Promise<RoutedQueue | { missing: string }> {
    try {
      return await this.router.route(scope, request, (queueIds) => this.deliveries.waitingIn(queueIds));
    } catch (error) {
      if (error instanceof DomainError && (error.kind === 'not_found' || error.kind === 'conflict')) {
        return { missing: error.message };
      }
      throw error;
    }
  }
}

/**
 * Returns the kind in `entity_type`; if that is no kind of runnables, the kind that the planning mode names, and with
 * `on_the_fly` `agent`. If the job names no entity, the worker of the execution chooses one.
 */
export function runnableKindOf({
  planning_mode,
  entity_type,
}: Pick<Job, 'planning_mode' | 'entity_type'>): ExecutionType {
  return EXECUTION_TYPES.find((type) => type === entity_type) ?? PREDEFINED_KINDS.get(planning_mode) ?? 'agent';
}

function queueRequestOf(job: JobFields, environmentIds: readonly string[]): QueueRequest {
  const { executor_type, worker_queue_name: queue, environment_name: environment } = job;
  if (executor_type === 'specific_queue') return { queue, environment };
  if (executor_type === 'environment') return { environment };
  return { environmentIds };
}
