import { InheritanceService, NO_INHERITANCE } from '@app/entity-contexts';
import type { RoutedQueue } from '@app/environments';
import {
  DeliveryService,
  ExecutionService,
  RunnableSources,
  type AssembledRunnable,
  type CreateExecution,
  type Runnable,
} from '@app/executions';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { RunModelsService } from '../leases/run-models.service.js';
import type { PreviewedQueue, RunModel, RunPreview } from '../run.types.js';
import { unsetParameters } from './unset-parameters.js';

/** A start that is previewed instead. */
export interface PreviewedStart {
  readonly origin: CreateExecution;
  readonly runnable: Runnable | undefined;
  /** Undefined if there is none; `problems` then says why. */
  readonly queue: RoutedQueue | undefined;
  /** Why the run takes this queue. */
  readonly reason: PreviewedQueue['reason'];
  /** Names of parameters without a value. */
  readonly missing: readonly string[];
  /** Why the start would fail or be refused. */
  readonly problems: readonly string[];
}

/** Tells what a start would do. Starts and stores nothing. */
@Injectable()
export class RunPreviewService {
  constructor(
    private readonly executions: ExecutionService,
    private readonly deliveries: DeliveryService,
    private readonly runnables: RunnableSources,
    private readonly inheritance: InheritanceService,
    private readonly models: RunModelsService,
  ) {}

  async of(scope: Scope, start: PreviewedStart): Promise<RunPreview> {
    const { origin, runnable, queue, problems } = start;
    const assignment = queue === undefined ? null : { workerQueueId: queue.id, environmentId: queue.environment_id };
    const assembled = runnable === undefined ? undefined : await this.runnables.assemble(scope, runnable);
    const [policies, shownQueue, model] = await Promise.all([
      this.executions.verdictOn(scope, origin, assignment),
      queue === undefined ? null : this.queueOf(queue, start.reason),
      this.modelOf(scope, assembled),
    ]);
    const missing = [...start.missing, ...unsetParameters(runnable, origin)];
    return {
      prompt: origin.prompt,
      system_prompt: origin.systemPrompt ?? null,
      missing_parameters: [...new Set(missing)],
      queue: shownQueue,
      model,
      policies,
      problems: [...problems, ...(shownQueue?.workers_alive === 0 ? [unserved(shownQueue)] : [])],
    };
  }

  private async queueOf(queue: RoutedQueue, reason: PreviewedQueue['reason']): Promise<PreviewedQueue> {
    const waiting = await this.deliveries.waitingIn([queue.id]);
    return {
      id: queue.id,
      name: queue.name,
      environment_name: queue.environment_name,
      workers_alive: queue.live_workers,
      waiting: waiting.get(queue.id) ?? 0,
      reason,
    };
  }

  /** The model with which a worker would receive the run. */
  private async modelOf(scope: Scope, assembled: AssembledRunnable | undefined): Promise<RunModel | null> {
    const inheritance = assembled === undefined ? [NO_INHERITANCE] : this.inheritance.ofRuns(scope, [assembled]);
    const { models } = await this.models.ofRun(scope, [assembled ?? null], inheritance);
    return models[0] ?? null;
  }
}

/** Returns why a run takes a queue that nothing names. `environmentIds` are the ids or names of its environments. */
export function reasonOf(
  queue: RoutedQueue | undefined,
  environmentIds: readonly string[],
): Exclude<PreviewedQueue['reason'], 'requested'> {
  const { environment_id = '', environment_name = '' } = queue ?? {};
  return environmentIds.some((word) => word === environment_id || word === environment_name)
    ? 'environment'
    : 'default';
}

function unserved({ name }: PreviewedQueue): string {
  return `No live worker serves the queue ${name}; the run waits until one connects`;
}
