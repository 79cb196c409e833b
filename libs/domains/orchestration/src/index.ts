export { OrchestrationModule } from './orchestration.module.js';
export { QueueSamplesModule } from './queues/queue-samples.module.js';
export { QueueSeriesService } from './queues/queue-series.service.js';
export type { LoadBucket, LoadSeries } from './queues/queue-sample.types.js';
export { OrchestrationHandlersModule } from './orchestration.handlers.module.js';
export { RequestedRunsModule } from './requested/requested-runs.module.js';
export { ConnectedWorkerService } from './workers/connected-worker.service.js';
export { HeldLeasesService } from './leases/held-leases.service.js';
export { ManagedQueueService } from './queues/managed-queue.service.js';
export { RunKnowledgeService } from './leases/run-knowledge.service.js';
export { RunPlanService } from './leases/run-plan.service.js';
export { WorkerChannels, type CommandSink, type PushedCommand } from './workers/worker-channels.js';
export { reasonOf, RunPreviewService } from './requested/run-preview.service.js';
export { unsetParameters } from './requested/unset-parameters.js';
export { RequestedRunService } from './requested/requested-run.service.js';
export type {
  AssembledCall,
  AssembledRun,
  ConnectedHeartbeat,
  Poll,
  PollResult,
  PreviewedQueue,
  RunModel,
  RunPreview,
  RunRequest,
  StartedNamedRun,
  StartedRun,
} from './run.types.js';
export { RunEnvironmentsModule } from './variables/run-environments.module.js';
export { RunEnvironmentsService } from './variables/run-environments.service.js';
