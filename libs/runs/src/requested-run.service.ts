import { QueueRouter, unservedName, type RoutedQueue } from '@app/environments';
import {
  checkNewVariables,
  checkRequestedEnvironment,
  DeliveryService,
  ExecutionService,
  hasVariables,
  mayOverride,
  RunnableSources,
  type CreateExecution,
  type Runnable,
  type RunnableRef,
} from '@app/executions';
import { DomainError, type Caller, type JsonObject } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { Injectable } from '@nestjs/common';
import { RunEnvironments } from './run-environments.service.js';
import type { RunRequest, StartedRun } from './run.types.js';

/** Starts runs of any runnable on request of a client. */
@Injectable()
export class RequestedRunService {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly router: QueueRouter,
    private readonly executions: ExecutionService,
    private readonly deliveries: DeliveryService,
    private readonly environments: RunEnvironments,
    private readonly projects: ProjectLookupService,
  ) {}

  /**
   * Starts an execution for the user of the caller's key, in the requested queue or else in a queue of the runnable's
   * environments. Returns a failed execution if policies deny it or if projects allow no queue. Throws `not_found` if there
   * is no such runnable or queue, `insufficient_scope` if the key lacks `agents:write` and the request does more than add variables.
   */
  async start(caller: Caller, ref: RunnableRef, request: RunRequest): Promise<StartedRun> {
    const runnable = await this.runnables.read(caller, ref);
    checkRequestedEnvironment(caller, request.execution_environment);
    const queue = await this.findQueue(caller, runnable, request);
    const origin = originOf(caller, runnable, request);
    if (queue instanceof DomainError) {
      return { execution: await this.executions.startFailed(caller, origin, queue.message), unservedQueue: null };
    }
    await this.checkVariables(caller, runnable, queue.environment_id, request.execution_environment);
    const assignment = { workerQueueId: queue.id, environmentId: queue.environment_id };
    const execution = await this.executions.start(caller, { ...origin, assignment });
    if (execution.status !== 'failed') await this.runnables.recordRun(caller, runnable);
    return { execution, unservedQueue: unservedName(queue) };
  }

  /** Returns the error if projects allow no queue. */
  private async findQueue(caller: Caller, runnable: Runnable, request: RunRequest): Promise<RoutedQueue | DomainError> {
    const queue = request.worker_queue_id ?? null;
    const restrictions = this.projects.restrictionsOf(caller, runnable);
    const route = { queue, environmentIds: runnable.environmentIds, restrictions };
    try {
      return await this.router.route(caller, route, (queueIds) => this.deliveries.waitingIn(queueIds));
    } catch (error) {
      if (error instanceof DomainError && error.code === 'no_allowed_worker_queue') return error;
      throw error;
    }
  }

  /** Costs no statement unless the caller brings variables and may not override any. */
  private async checkVariables(
    caller: Caller,
    runnable: Runnable,
    environmentId: string,
    requested: JsonObject | undefined,
  ): Promise<void> {
    if (mayOverride(caller) || !hasVariables(requested)) return;
    checkNewVariables(requested, await this.environments.layersOf(caller, runnable, environmentId));
  }
}

function originOf(caller: Caller, { kind, id, name }: Runnable, request: RunRequest): CreateExecution {
  return {
    executionType: kind,
    entityId: id,
    entityName: name,
    prompt: request.prompt,
    systemPrompt: request.system_prompt ?? null,
    user: caller,
    triggerType: 'api',
    parentExecutionId: request.parent_execution_id ?? null,
    executionMetadata: request.user_metadata === undefined ? {} : { user_metadata: request.user_metadata },
    executionEnvironment: request.execution_environment ?? {},
    mayOverrideEnvironment: mayOverride(caller),
  };
}
