export { JobsModule } from './jobs.module.js';
export { JobsHandlersModule } from './jobs.handlers.module.js';
export { JobService } from './jobs/job.service.js';
export { BulkExecutionService } from './reruns/bulk-execution.service.js';
export { RerunService } from './reruns/rerun.service.js';
export { BULK_ACTIONS, type BulkAction, type BulkOutcome } from './reruns/rerun.types.js';
export { JobRemarksService } from './triggers/job-remarks.service.js';
export { JobTriggerService } from './triggers/job-trigger.service.js';
export { JobWebhookService } from './webhooks/job-webhook.service.js';
export { challengeOf } from './webhooks/job-webhook-payload.js';
export { runnableKindOf } from './triggers/job-target.service.js';
export { jobFaults, overrideFaults, scheduleFaults } from './jobs/job-rules.js';
export { INSTANT_NOTES } from './schedules/job-schedule.js';
export { previewFaults, previewSchedule, type PreviewedInstant } from './schedules/schedule-preview.js';
export {
  EXECUTOR_TYPES,
  JOB_CONFIG_KEYS,
  JOB_STATUSES,
  PLANNING_MODES,
  TRIGGER_TYPES,
  WEBHOOK_SIGNATURES,
  type CreateJob,
  type ExecutorType,
  type Job,
  type JobFilter,
  type JobStatus,
  type PlanningMode,
  type TriggeredJob,
  type TriggerJob,
  type TriggerType,
  type UpdateJob,
  type JobWebhookCall,
  type WebhookSignature,
} from './jobs/job.types.js';
