export { RunsModule } from './runs.module.js';
export { RunsHandlersModule } from './runs.handlers.module.js';
export { ConnectedWorkerService } from './connected-worker.service.js';
export type { AssembledRun, HeartbeatAnswer, Poll, PollAnswer, RunModel } from './run.types.js';
