export { ExecutionsModule } from './executions.module.js';
export { ExecutionsHandlersModule } from './executions.handlers.module.js';
export {
  checkIntegrationEnvironment,
  checkKeptSecrets,
  checkNewVariables,
  checkRepeatedEnvironment,
  checkRequestedEnvironment,
  hasVariables,
  mayOverride,
  overriddenVariable,
  privilegedPart,
  type EnvironmentLayer,
} from './executions/requested-environment.js';
export {
  ExecutionGate,
  type GateDecision,
  type GateVerdict,
  type ProposedExecution,
} from './executions/execution-gate.js';
export { ExecutionTraces } from './executions/execution-traces.js';
export { inSpanOf, leaseSpanId, traceOf } from './executions/execution-span.js';
export { executionNotRepeatable, leaseLost } from './executions/execution.errors.js';
export { ExecutionService } from './executions/execution.service.js';
export { PRUNE_EXECUTIONS } from './retention/execution-retention.sql.js';
export { runNeedsOf, runtimesOf } from './runnables/run-needs.js';
export {
  DEFAULT_RUNTIME,
  RunnableSource,
  type AssembledRunnable,
  type CandidateQuery,
  type DefinedRef,
  type RunCandidate,
  type Runnable,
  type RunnableRef,
} from './runnables/runnable-source.js';
export {
  fixDefinition,
  MAX_DEFINED_STEPS,
  type DefinedStep,
  type FixedDefinition,
  type RunDefinition,
} from './runnables/run-definition.js';
export { changeOf, foreignChangeIn } from './runnables/runnable-changes.js';
export { runnablesIn } from './runnables/runnables-in.js';
export { RunnableSources } from './runnables/runnable-sources.js';
export { findIdsNamed } from './runnables/runnable-names.sql.js';
export { RunnablesModule } from './runnables/runnables.module.js';
export { ExecutionEventService } from './events/execution-event.service.js';
export { ExecutionStreamService } from './events/execution-stream.service.js';
export { WorkStoppedError, WorkStops } from './stops/work-stops.js';
export { LeaseService } from './leases/lease.service.js';
export { JobRunsService } from './job-runs/job-runs.service.js';
export { ExecutionSummaryService } from './summaries/execution-summary.service.js';
export {
  SUMMARY_ORDERS,
  type ExecutionSummary,
  type ExecutionSummaryFilter,
  type SummaryOrder,
} from './summaries/execution-summary.types.js';
export { ConversationService } from './conversations/conversation.service.js';
export { SessionService } from './conversations/session.service.js';
export { UserSessionService } from './user-sessions/user-session.service.js';
export type { SessionMessage, UserSession, UserSessionFilter } from './user-sessions/user-session.types.js';
export { DeliveryService } from './worker-deliveries/delivery.service.js';
export { QueueLoadService, type QueueActivity, type QueueLoad } from './worker-deliveries/queue-load.service.js';
export { OrphanedWorkService } from './worker-deliveries/orphaned-work.service.js';
export { ExecutionAnalyticsService } from './analytics/execution-analytics.service.js';
export { BUCKET_SECONDS, planSeries, type SeriesPlan } from './analytics/series.js';
export { periodOf } from './analytics/period.js';
export { FAILURE_KINDS, type FailureKind } from './executions/failure-cause.js';
export type {
  AnalyticsFilter,
  AnalyticsSummary,
  FailureGroup,
  Failures,
  RequestedPeriod,
  Series,
  SeriesBucket,
  AnalyticsSummaryFilter,
  UsageGroup,
  UsageTotals,
} from './analytics/analytics.types.js';
export { TimelineService } from './timeline/timeline.service.js';
export { ACTOR_KINDS, type ActorKind } from './executions/transition.types.js';
export {
  ATTEMPT_OUTCOMES,
  type Attempt,
  type AttemptOutcome,
  type Timeline,
  type TracedExecution,
} from './timeline/timeline.types.js';
export { ExecutionFileService } from './files/execution-file.service.js';
export type { ExecutionFile, FileContent } from './files/execution-file.types.js';
export { ExecutionPlanService } from './plans/execution-plan.service.js';
export {
  MAX_CANDIDATES,
  PLANNABLE_TYPES,
  type PlanExecution,
  type PlannableType,
} from './executions/execution-plan.js';
export type { HeldExecution } from './plans/execution-plan.types.js';
export { hasRuntime, MAX_CANDIDATE_CAPABILITIES, MAX_RANKED, rankingWords, rankOf } from './runnables/run-candidate.js';
export { ExecutionStepService } from './steps/execution-step.service.js';
export {
  MAX_STEP_ERROR_LENGTH,
  MAX_STEP_OUTPUT_LENGTH,
  STEP_STATUSES,
  type ExecutionStep,
  type SaveStep,
  type StepStatus,
} from './steps/execution-step.types.js';
export { costOf, MAX_COST_NANOS, MAX_MODEL_LENGTH, MAX_TOKENS } from './usage/usage-columns.js';
export { UsagePricing } from './usage/usage-pricing.js';
export { TaskRecordService } from './task-records/task-record.service.js';
export { SESSION_KEYS, sessionIn, startConfigFaults } from './session-turns/session-of-start.js';
export { MULTITASK, type Multitask } from './session-turns/turn.types.js';
export { DEFAULT_TIMEOUT_MS, RUN_LIMIT_KEYS, timeoutMsOf } from './executions/run-limits.js';
export { EXECUTION_STATUSES, OPEN_STATUSES, type ExecutionStatus } from './executions/execution-state.js';
export {
  EXECUTION_TYPES,
  FAILURE_REASONS,
  JOB_RUN_STATUSES,
  type Execution,
  type ExecutionFilter,
  type ExecutionOwner,
  type ExecutionWithConfig,
  type CreateExecution,
  type ExecutionAssignment,
  type ExecutionType,
  type ExecutionUser,
  type FailureReason,
  type JobCounts,
  type JobRun,
  type JobRunReport,
  type JobRunStatus,
  type Participant,
  type RepeatableExecution,
  type StartedExecution,
  type StartExecution,
  type StartInput,
  type UpdateExecution,
  type WorkerCommandName,
} from './executions/execution.types.js';
export type {
  GivenCommand,
  HeldLease,
  ReleaseCause,
  LeasedExecution,
  PollRequest,
  WorkerCommand,
} from './leases/lease.types.js';
export { MAX_SESSION_MESSAGES } from './conversations/session.types.js';
export type {
  AppendMessages,
  Conversation,
  ExecutionSession,
  SaveSession,
  SendMessage,
  SentMessage,
} from './conversations/session.types.js';
export type {
  AnalyticsBatch,
  SaveTaskRecord,
  TaskRecord,
  TaskRecordFields,
  ToolCall,
} from './task-records/task-record.types.js';
