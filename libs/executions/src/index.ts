export { ExecutionsModule } from './executions.module.js';
export { ExecutionsHandlersModule } from './executions.handlers.module.js';
export { checkBroughtEnvironment } from './executions/brought-environment.js';
export { ExecutionGate, type Admission, type ExecutionAttempt } from './executions/execution-gate.js';
export { ExecutionService } from './executions/execution.service.js';
export { OpenGateModule } from './executions/open-gate.module.js';
export { ExecutionEventService } from './events/execution-event.service.js';
export { ExecutionStreamService } from './events/execution-stream.service.js';
export { LeaseService } from './leases/lease.service.js';
export { JobRunsService } from './job-runs/job-runs.service.js';
export { SessionService } from './sessions/session.service.js';
export { DeliveryService } from './deliveries/delivery.service.js';
export { StrandedWorkService } from './deliveries/stranded-work.service.js';
export { TaskRecordService } from './task-records/task-record.service.js';
export { EXECUTION_STATUSES, type ExecutionStatus } from './executions/execution-state.js';
export {
  EXECUTION_TYPES,
  JOB_RUN_STATUSES,
  type Execution,
  type ExecutionFilter,
  type ExecutionOrder,
  type ExecutionOrigin,
  type ExecutionPlace,
  type ExecutionType,
  type ExecutionUser,
  type JobCounts,
  type JobRun,
  type JobRunReport,
  type JobRunStatus,
  type Participant,
  type StartExecution,
  type UpdateExecution,
} from './executions/execution.types.js';
export type {
  HandBackCause,
  LeasedExecution,
  PollRequest,
  WorkerCommand,
  WorkerCommandName,
} from './leases/lease.types.js';
export { MAX_SESSION_MESSAGES } from './sessions/session.types.js';
export type { ExecutionSession, SaveSession, SendMessage, SentMessage } from './sessions/session.types.js';
export type {
  AnalyticsBatch,
  AnalyticsSummary,
  SaveTaskRecord,
  SummaryFilter,
  TaskRecord,
  TaskRecordFields,
} from './task-records/task-record.types.js';
