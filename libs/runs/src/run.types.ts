import type { Agent } from '@app/agents';
import type { HeartbeatTaken } from '@app/environments';
import type { LeasedExecution, WorkerCommand } from '@app/executions';
import type { Model } from '@app/models';
import type { Team } from '@app/teams';

/** A lease with everything a worker needs for its run, as it is at the moment of leasing. */
export interface AssembledRun {
  readonly lease: LeasedExecution;
  /** `null` for an execution that is not of an agent. */
  readonly agent: Agent | null;
  /** With its members; `null` for an execution that is not of a team. */
  readonly team: Team | null;
  readonly model: RunModel | null;
  readonly variables: Readonly<Record<string, string>>;
}

/** A stored model, or one that is known by its value only. */
export type RunModel = Model | { readonly value: string };

/** The run can not begin: what it is a run of has gone since it was started. */
export interface LostRun {
  readonly lease: LeasedExecution;
  readonly missing: string;
}

export interface Poll {
  readonly max: number;
  readonly waitMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

export interface PollAnswer {
  readonly runs: readonly AssembledRun[];
  readonly commands: readonly WorkerCommand[];
}

export interface HeartbeatAnswer extends HeartbeatTaken {
  readonly commands: readonly WorkerCommand[];
}
