import type { Scope } from '@app/kernel';
import type { CreateExecution, ExecutionAssignment } from './execution.types.js';

/** An execution before it is inserted. */
export interface ProposedExecution extends CreateExecution {
  readonly executionId: string;
  /** Null if the client that creates the execution runs it itself. */
  readonly assignment: ExecutionAssignment | null;
}

/** What the policies say of an execution. */
export interface GateVerdict {
  readonly allowed: boolean;
  readonly violations: readonly string[];
  /** Number of policies that were evaluated. */
  readonly policiesEvaluated: number;
}

export interface GateDecision {
  readonly verdict: GateVerdict;
  /** Null if the execution may start, otherwise the reason for its `error_message`. */
  readonly denial: string | null;
  /** Stores the decision. Called in the transaction that inserts the execution. */
  record(): Promise<void>;
}

/**
 * Decides whether an execution may start. libs/domains/policies implements it, because policies depend on agents and teams,
 * which depend on executions. There is no default: a process that can start executions does not boot without a gate.
 */
export abstract class ExecutionGate {
  /**
   * Called before the transaction that inserts the execution, because an evaluation takes CPU time. Returns undefined
   * if no policy applies to the execution. If it throws, nothing is inserted.
   */
  abstract decide(scope: Scope, execution: ProposedExecution): Promise<GateDecision | undefined>;
}
