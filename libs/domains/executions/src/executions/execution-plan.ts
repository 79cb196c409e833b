/** The kinds that a worker may choose. */
export const PLANNABLE_TYPES = ['agent', 'team'] as const;
export type PlannableType = (typeof PLANNABLE_TYPES)[number];

/** Maximum number of runnables that a lease offers. */
export const MAX_CANDIDATES = 50;

/** The choice that a worker reports for an execution without an entity. */
export interface PlanExecution {
  readonly entity_type: PlannableType;
  readonly entity_id: string;
  /** Replaces the prompt of the execution; null keeps it. */
  readonly prompt: string | null;
  readonly reason: string;
}

/** A stored plan. */
export type ExecutionPlan = PlanExecution & {
  readonly entity_name: string;
  /** Why the execution failed instead of running the entity; null if it may run. */
  readonly denial: string | null;
};
