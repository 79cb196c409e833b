export { JobsModule } from './jobs.module.js';
export { JobsHandlersModule } from './jobs.handlers.module.js';
export { JobService } from './job.service.js';
export { JobTriggerService } from './job-trigger.service.js';
export { JobWebhookService } from './job-webhook.service.js';
export { runnableKindOf } from './job-target.service.js';
export { jobFaults, overrideFaults, scheduleFaults } from './job-rules.js';
export { INSTANT_NOTES } from './job-schedule.js';
export { previewFaults, previewSchedule, type PreviewedInstant } from './schedule-preview.js';
export {
  EXECUTOR_TYPES,
  JOB_STATUSES,
  PLANNING_MODES,
  TRIGGER_TYPES,
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
  type WebhookCall,
} from './job.types.js';
