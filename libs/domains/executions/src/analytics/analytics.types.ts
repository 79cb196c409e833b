import type { FailureKind } from '../executions/failure-cause.js';

/** Restricts analytics to executions of an entity, a job, a queue, or several of them together. */
export interface AnalyticsFilter {
  readonly entityId?: string;
  readonly jobId?: string;
  readonly workerQueueId?: string;
}

/** A period whose bounds can be absent. */
export interface RequestedPeriod {
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
}

export interface Period {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

/** An entity with failed executions of one cause. */
export interface FailedEntity {
  readonly id: string;
  /** The name that its last failed execution contains. */
  readonly name: string | null;
  readonly count: number;
}

/** Failed executions of one cause that ended in the period. */
export interface FailureGroup {
  readonly cause: string;
  readonly kind: FailureKind;
  readonly title: string;
  /** The error message of the last one, truncated to 300 characters. */
  readonly example: string | null;
  readonly count: number;
  /** Number of such executions in the preceding period of equal length. */
  readonly count_before: number;
  readonly first_at: Date;
  readonly last_at: Date;
  /** The three entities with the most of these executions. */
  readonly entities: readonly FailedEntity[];
  readonly last_execution_id: string;
}

/** Failed executions by cause, the most frequent causes first. */
export interface Failures extends Period {
  readonly failed: number;
  readonly failed_before: number;
  readonly groups: readonly FailureGroup[];
}

/**
 * Executions that started, and executions that ended, in a span of time. Durations are in milliseconds, null if there
 * are none.
 */
export interface SeriesBucket {
  readonly at: Date;
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly terminated: number;
  /** Time from creation to start, of the executions that started. */
  readonly wait_p95_ms: number | null;
  /** Duration reported by the worker, otherwise the time from start to end, of the executions that ended. */
  readonly run_p50_ms: number | null;
  readonly run_p95_ms: number | null;
}

export interface Series extends Period {
  readonly bucketSeconds: number;
  readonly buckets: readonly SeriesBucket[];
}

/** Executions and records created in a period, or those of one execution. */
export interface AnalyticsSummaryFilter extends RequestedPeriod {
  readonly executionId?: string;
}

export interface UsageTotals {
  readonly executions: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  /** In the currency of the prices. Includes only executions whose model had prices. */
  readonly cost: number;
}

/** Executions of one agent, team or model. */
export interface UsageGroup extends UsageTotals {
  /** The id of the agent or team, or the name of the model. */
  readonly key: string;
  readonly executions_by_status: Readonly<Record<string, number>>;
}

export interface DayUsage extends UsageTotals {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
}

/**
 * Durations of executions that ended, in milliseconds; percentiles deviate by at most 2 % or 1 ms, and are null without
 * executions.
 */
export interface Durations {
  readonly count: number;
  readonly p50_ms: number | null;
  readonly p90_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
}

export interface AnalyticsSummary extends Omit<UsageTotals, 'executions'> {
  readonly total_executions: number;
  readonly executions_by_status: Readonly<Record<string, number>>;
  readonly total_tasks: number;
  readonly tasks_by_status: Readonly<Record<string, number>>;
  readonly total_tool_calls: number;
  readonly total_turns: number;
  /** Lists of groups have at most 100 items, those with the highest cost first. */
  readonly by_agent: readonly UsageGroup[];
  readonly by_team: readonly UsageGroup[];
  readonly by_model: readonly UsageGroup[];
  /** Days with an execution, in order. */
  readonly by_day: readonly DayUsage[];
  readonly durations: Durations;
}
