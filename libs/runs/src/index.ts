export { RunsModule } from './runs.module.js';
export { QueueSamplesModule } from './queue-samples/queue-samples.module.js';
export { QueueSeriesService } from './queue-samples/queue-series.service.js';
export type { LoadBucket, LoadSeries } from './queue-samples/queue-sample.types.js';
export { RunsHandlersModule } from './runs.handlers.module.js';
export { RequestedRunsModule } from './requested-runs.module.js';
export { ConnectedWorkerService } from './connected-worker.service.js';
export { HeldLeasesService } from './held-leases.service.js';
export { QueueDeletionService } from './queue-deletion.service.js';
export { RunKnowledgeService } from './run-knowledge.service.js';
export { RunPlanService } from './run-plan.service.js';
export { WorkerChannels, type CommandSink, type PushedCommand } from './worker-channels.js';
export { RequestedRunService } from './requested-run.service.js';
export type {
  AssembledCall,
  AssembledRun,
  ConnectedHeartbeat,
  Poll,
  PollResult,
  RunModel,
  RunRequest,
  StartedNamedRun,
  StartedRun,
} from './run.types.js';
