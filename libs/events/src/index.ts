export { EventsModule } from './events.module.js';
export { EventBusHealth, type BusHealth, type ProviderHealth } from './event-bus-health.js';
export { EVENT_RETENTION_SECONDS, EventLog } from './event-log.js';
export { EventStream, type HistoryPage, type StreamRequest } from './event-stream.js';
export { EventStreamsModule } from './event-streams.module.js';
export {
  EVENT_TYPE_MAX_LENGTH,
  EVENT_TYPE_PATTERN,
  KNOWN_EVENT_TYPES,
  type ExecutionRef,
  type NewEvent,
  type PublishedEvent,
} from './event-types.js';
export { FinalExecutions, type FinalExecution } from './final-executions.js';
export type { StreamSink } from './stream-sink.js';
export { EventsHandlersModule } from './events.handlers.module.js';
export { EventProvider, LogFollower, type LoggedEvent } from './feed/event-provider.js';
export { UnreadLogs } from './feed/unread-logs.js';
