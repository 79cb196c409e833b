export { ExecutionsModule } from './executions.module.js';
export { ExecutionsHandlersModule } from './executions.handlers.module.js';
export { ExecutionGate, type Admission, type ExecutionAttempt } from './execution-gate.js';
export { ExecutionService } from './execution.service.js';
export { OpenGateModule } from './open-gate.module.js';
export { ExecutionEventService } from './execution-event.service.js';
export { ExecutionStreamService } from './execution-stream.service.js';
export { LeaseService } from './lease.service.js';
export { JobRunsService } from './job-runs.service.js';
export { SessionService } from './session.service.js';
export { DeliveryService } from './delivery.service.js';
export { StrandedWorkService } from './stranded-work.service.js';
export { TaskRecordService } from './task-record.service.js';
export { EXECUTION_STATUSES, type ExecutionStatus } from './execution-state.js';
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
} from './execution.types.js';
export type { HandBackCause, LeasedExecution, PollRequest, WorkerCommand, WorkerCommandName } from './lease.types.js';
export type { ExecutionSession, SaveSession, SendMessage, SentMessage } from './session.types.js';
export type {
  AnalyticsBatch,
  AnalyticsSummary,
  SaveTaskRecord,
  SummaryFilter,
  TaskRecord,
  TaskRecordFields,
} from './task-record.types.js';
