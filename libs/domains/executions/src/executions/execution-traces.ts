import type { ExecutionRef } from '@app/events';

/**
 * Stores the spans of ended executions. libs/domains/traces implements it, because traces depend on executions. A process that
 * does not import TracesModule stores none.
 */
export abstract class ExecutionTraces {
  /** Idempotent: the spans of an execution that is recorded again replace the stored ones. */
  abstract record(execution: ExecutionRef): Promise<void>;
}
