import type { Scope } from '@app/kernel';
import type { ExecutionOrigin, ExecutionPlace } from './execution.types.js';

/** An execution that is about to start. */
export interface ExecutionAttempt extends ExecutionOrigin {
  readonly executionId: string;
  /** Null where its maker runs it itself. */
  readonly place: ExecutionPlace | null;
}

/** What was decided on an attempt. */
export interface Admission {
  /** Null: it may start. Otherwise why not, in words for its `error_message`. */
  readonly denial: string | null;
  /** Writes down what was decided, in the transaction that makes the execution. */
  record(): Promise<void>;
}

/**
 * Decides whether an execution may start. What decides stands above executions (policies know agents and teams, which
 * know executions), so this is the socket it is plugged into. There is no default: a process that can start executions
 * and has nothing here does not start.
 */
export abstract class ExecutionGate {
  /**
   * Asked before the transaction that makes the execution, because deciding takes the processor for a while. Undefined
   * where nothing has a say in it. If it throws, nothing starts.
   */
  abstract ask(scope: Scope, attempt: ExecutionAttempt): Promise<Admission | undefined>;
}
