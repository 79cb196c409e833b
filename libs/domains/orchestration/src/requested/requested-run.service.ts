import { unservedName, type RoutedQueue } from '@app/environments';
import {
  checkNewVariables,
  checkRequestedEnvironment,
  ExecutionService,
  fixDefinition,
  hasVariables,
  mayOverride,
  RunnableSources,
  type CreateExecution,
  type ExecutionType,
  type Runnable,
  type RunnableRef,
} from '@app/executions';
import {
  DomainError,
  ENVIRONMENT_SECRETS,
  rejectHiddenSecrets,
  withoutUndefined,
  type Caller,
  type JsonObject,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { RunEnvironmentsService } from '../variables/run-environments.service.js';
import { reasonOf, RunPreviewService } from './run-preview.service.js';
import { RunQueuesService } from './run-queues.service.js';
import type { RunPreview, RunRequest, StartedNamedRun, StartedRun } from '../run.types.js';
import { unsetParameters } from './unset-parameters.js';

/** Starts runs of any runnable at the request of a client. */
@Injectable()
export class RequestedRunService {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly queues: RunQueuesService,
    private readonly executions: ExecutionService,
    private readonly environments: RunEnvironmentsService,
    private readonly previews: RunPreviewService,
  ) {}

  /**
   * Starts an execution for the user of the caller's key, in the requested queue, otherwise in a queue of the
   * runnable's environments. Returns a failed execution if policies deny it, if projects allow no queue, or if the live
   * workers of the queue lack the runtime. Throws `not_found` if there is no such runnable or queue,
   * `insufficient_scope` if the key lacks `agents:write` and the request does more than add variables.
   */
  async start(caller: Caller, ref: RunnableRef, request: RunRequest): Promise<StartedRun> {
    const { runnable, origin, queue } = await this.prepare(caller, ref, request);
    const missingParameters = unsetParameters(runnable, origin);
    if (queue instanceof DomainError) {
      const execution = await this.executions.startFailed(caller, origin, queue.message);
      return { execution, unservedQueue: null, missingParameters };
    }
    const assignment = { workerQueueId: queue.id, environmentId: queue.environment_id };
    const execution = await this.executions.start(caller, { ...origin, assignment });
    if (execution.status !== 'failed') await this.runnables.recordRun(caller, runnable);
    return { execution, unservedQueue: unservedName(queue), missingParameters };
  }

  /** Like `start`, for the runnable with this id, otherwise the one with this name. */
  async startNamed(
    caller: Caller,
    { kind, idOrName }: { readonly kind: ExecutionType; readonly idOrName: string },
    request: RunRequest,
  ): Promise<StartedNamedRun> {
    const runnableId = await this.idOf(caller, kind, idOrName);
    return { ...(await this.start(caller, { kind, id: runnableId }, request)), runnableId };
  }

  /** Tells what `start` would do, and throws the same errors. Starts and stores nothing. */
  async preview(caller: Caller, ref: RunnableRef, request: RunRequest): Promise<RunPreview> {
    const { runnable, origin, queue } = await this.prepare(caller, ref, request);
    const routed =
      queue instanceof DomainError ? { queue: undefined, problems: [queue.message] } : { queue, problems: [] };
    const isRequested = request.worker_queue_id != null && request.worker_queue_id !== '';
    const reason = isRequested ? 'requested' : reasonOf(routed.queue, runnable.environmentIds);
    return this.previews.of(caller, { origin, runnable, ...routed, reason, missing: [] });
  }

  /** Like `preview`, for the runnable with this id, otherwise the one with this name. */
  async previewNamed(
    caller: Caller,
    { kind, idOrName }: { readonly kind: ExecutionType; readonly idOrName: string },
    request: RunRequest,
  ): Promise<RunPreview> {
    return this.preview(caller, { kind, id: await this.idOf(caller, kind, idOrName) }, request);
  }

  private async idOf(scope: Scope, kind: ExecutionType, idOrName: string): Promise<string> {
    const found = await this.runnables.idsNamed(scope, [{ kind, idOrName }]);
    const ids = found.get(kind)?.get(idOrName) ?? [];
    // A name of several runnables refers to none of them.
    const [id = idOrName] = ids.length === 1 ? ids : [];
    return id;
  }

  /** Resolves what a start needs. The error is that of a start that fails. */
  private async prepare(
    caller: Caller,
    ref: RunnableRef,
    request: RunRequest,
  ): Promise<{ runnable: Runnable; origin: CreateExecution; queue: RoutedQueue | DomainError }> {
    const runnable = await this.runnables.read(caller, ref);
    checkRequestedEnvironment(caller, request.execution_environment);
    rejectHiddenSecrets(ENVIRONMENT_SECRETS, request.execution_environment, ['execution_environment']);
    const queue = await this.queues.find(caller, runnable, request.worker_queue_id ?? null);
    if (!(queue instanceof DomainError)) {
      await this.checkVariables(caller, runnable, queue.environment_id, request.execution_environment);
    }
    return { runnable, origin: originOf(caller, runnable, request), queue };
  }

  /** Reads the layers only if the request sets variables and the caller must not override existing ones. */
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

function originOf(caller: Caller, runnable: Runnable, request: RunRequest): CreateExecution {
  const { kind, id, name } = runnable;
  const { user_metadata, params: parameters } = request;
  return {
    executionType: kind,
    entityId: id,
    entityName: name,
    prompt: request.prompt ?? promptIn(request.params),
    systemPrompt: request.system_prompt ?? null,
    user: caller,
    triggerType: 'api',
    parentExecutionId: request.parent_execution_id ?? null,
    executionMetadata: withoutUndefined({ user_metadata, parameters, rerun_of: request.rerunOf }),
    startInput: withoutUndefined({ user_metadata, parameters }),
    config: withoutUndefined({
      session_id: request.session_id ?? undefined,
      multitask: request.multitask ?? undefined,
      ...request.config,
    }),
    session: runnable.session,
    definition: fixDefinition(runnable, request.params ?? {}),
    callable: runnable.callable,
    executionEnvironment: request.execution_environment ?? {},
    mayOverrideEnvironment: mayOverride(caller),
  };
}

function promptIn({ prompt }: JsonObject = {}): string | null {
  return typeof prompt === 'string' ? prompt : null;
}
