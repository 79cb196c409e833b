export { EnvironmentsHandlersModule } from './environments.handlers.module.js';
export { EnvironmentsModule } from './environments.module.js';
export { EnvironmentProvisioner } from './environments/environment-provisioner.js';
export { EnvironmentService } from './environments/environment.service.js';
export {
  DEFAULT_ENVIRONMENT,
  ENVIRONMENT_STATUSES,
  type CreateEnvironment,
  type Environment,
  type EnvironmentStatus,
  type EnvironmentSummary,
  type UpdateEnvironment,
} from './environments/environment.types.js';
export {
  integrationIdsIn,
  resolveExecutionEnvironment,
  type ResolvedEnvironment,
  type StartEnvironment,
} from './environments/execution-environment.js';
export { RunnerService } from './runners/runner.service.js';
export type { CreateRunner, Runner, RunnerFilter, UpdateRunner } from './runners/runner.types.js';
export { QueueRouter } from './worker-queues/queue-router.js';
export { WorkerQueueService } from './worker-queues/worker-queue.service.js';
export {
  WORKER_QUEUE_STATUSES,
  type CreateWorkerQueue,
  type RoutedQueue,
  unservedName,
  type QueueRequest,
  type UpdateWorkerQueue,
  type CountByQueue,
  type WorkerQueue,
  type WorkerQueueFilter,
  type WorkerQueueStatus,
} from './worker-queues/worker-queue.types.js';
export { hasCrashed } from './workers/disconnection-cause.js';
export { WorkerRegistrationService } from './workers/worker-registration.service.js';
export { WorkerService } from './workers/worker.service.js';
export {
  CONNECTED_STATUSES,
  WORKER_STATUSES,
  type ConnectedStatus,
  type DisconnectedWorker,
  type DisconnectWorker,
  type Heartbeat,
  type HeartbeatResult,
  type PollingWorker,
  type RegisterWorker,
  type LiveWorkers,
  type RunnerWorkers,
  type StartedWorker,
  type StartWorker,
  type Worker,
  type WorkerCounts,
  type WorkerFilter,
  type WorkerStatus,
} from './workers/worker.types.js';
