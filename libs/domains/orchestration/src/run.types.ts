import type { InheritedByRun } from '@app/entity-contexts';
import type { Heartbeat, HeartbeatResult, ResolvedEnvironment } from '@app/environments';
import type { GateVerdict } from '@app/executions';
import type {
  AssembledRunnable,
  ExecutionStep,
  LeasedExecution,
  Multitask,
  RunCandidate,
  StartedExecution,
  WorkerCommand,
} from '@app/executions';
import type { JsonObject } from '@app/kernel';
import type { Model } from '@app/models';

export interface RunRequest {
  /** Absent for runs that have parameters instead. */
  readonly prompt?: string;
  /** Parameters of a run that follows a definition. A text `prompt` among them is its prompt. */
  readonly params?: JsonObject;
  /** Id or name. If absent, a queue of the runnable's environments is chosen. */
  readonly worker_queue_id?: string | null;
  readonly system_prompt?: string | null;
  readonly parent_execution_id?: string | null;
  /** Session that the run continues. */
  readonly session_id?: string | null;
  /** What happens while another run of the session has not ended. */
  readonly multitask?: Multitask | null;
  readonly user_metadata?: JsonObject;
  readonly execution_environment?: JsonObject;
  /** Configuration of the run. */
  readonly config?: JsonObject;
  /** The execution that the run repeats. */
  readonly rerunOf?: string;
}

/** A started run. */
export interface StartedRun {
  /** Already failed if policies deny it. */
  readonly execution: StartedExecution;
  /** Name of the queue of the execution if it has no live worker, otherwise null. */
  readonly unservedQueue: string | null;
  /** Names of parameters that a template uses and the start does not set. Their placeholders remain in the texts. */
  readonly missingParameters: readonly string[];
}

/** A started run of a runnable that was given by its id or name. */
export interface StartedNamedRun extends StartedRun {
  readonly runnableId: string;
}

/** The queue that a run would take. */
export interface PreviewedQueue {
  readonly id: string;
  readonly name: string;
  readonly environment_name: string;
  readonly workers_alive: number;
  /** Executions that wait in the queue, at most 1000. */
  readonly waiting: number;
  /** The start or the job names it; an environment of the job or the runnable has it; or the default environment. */
  readonly reason: 'requested' | 'environment' | 'default';
}

/** What a start would do. */
export interface RunPreview {
  readonly prompt: string | null;
  /** Replaces the system prompt of the runnable; null: nothing does. */
  readonly system_prompt: string | null;
  /** Names of parameters that a template uses and the start does not set. */
  readonly missing_parameters: readonly string[];
  readonly queue: PreviewedQueue | null;
  readonly model: RunModel | null;
  readonly policies: GateVerdict;
  /** Why the start would be refused, fail or wait, apart from policies. */
  readonly problems: readonly string[];
}

/** A runnable that a run may call, with all data that the call requires. */
export interface AssembledCall extends Pick<InheritedByRun, 'skills' | 'context'> {
  readonly runnable: AssembledRunnable;
  readonly model: RunModel | null;
  /** Time limit of a call in milliseconds; null: the default. */
  readonly timeoutMs: number | null;
  readonly environment: ResolvedEnvironment;
}

/** A lease with all data that its run needs, read when the execution is leased. */
export interface AssembledRun extends Omit<AssembledCall, 'runnable'> {
  readonly lease: LeasedExecution;
  /** Null if the execution names no runnable, or one of a kind without a source. */
  readonly runnable: AssembledRunnable | null;
  /** The runnables that the run may call, directly or indirectly, in the order of `RunnableSource.membersOf`. */
  readonly calls: readonly AssembledCall[];
  /** Further models that the run uses, by id or value. */
  readonly furtherModels: ReadonlyMap<string, RunModel>;
  /** The steps that an earlier attempt reported. */
  readonly steps: readonly ExecutionStep[];
  /** The runnables that its worker may choose; none for an execution with an entity. */
  readonly candidates: readonly RunCandidate[];
}

/** The environment and the runtimes of the worker that runs leased executions. */
export interface RunPlace {
  /** The environment of the queue. */
  readonly environmentId: string;
  /** Ids of the runtimes of the worker that holds the leases; null: unknown. */
  readonly runtimes: readonly string[] | null;
}

/** A model that is stored or listed by the gateway, or a model of which only the value is known. */
export type RunModel = Model | { readonly value: string };

/**
 * A run that cannot start: its runnable was deleted after the execution was created, or a resource that it names is
 * missing.
 */
export interface UnstartableRun {
  readonly lease: LeasedExecution;
  /** The error message of the execution. */
  readonly reason: string;
}

/** `Presented` is the form in which the caller delivers a run. */
export interface RunDelivery<Presented> {
  /** Aborted when the client disconnects. Leases that were not delivered are then released. */
  readonly signal?: AbortSignal;
  /** Converts runs for delivery. If it rejects, the leases of these runs are released. */
  readonly present: (runs: readonly AssembledRun[]) => Promise<readonly Presented[]>;
}

export interface Poll<Presented> extends RunDelivery<Presented> {
  readonly max: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export interface PollResult<Presented> {
  readonly presented: readonly Presented[];
  readonly commands: readonly WorkerCommand[];
}

export interface ConnectedHeartbeatRequest extends Heartbeat {
  /** The executions that the worker runs. Only their leases are renewed; absent: all leases of the worker. */
  readonly execution_ids?: readonly string[];
}

export interface ConnectedHeartbeat extends HeartbeatResult {
  readonly commands: readonly WorkerCommand[];
}
