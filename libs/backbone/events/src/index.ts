export { EventsModule } from './events.module.js';
export { EventBusHealth, type BusHealth, type ProviderHealth } from './feed/event-bus-health.js';
export { EVENT_RETENTION_SECONDS, EventLog } from './log/event-log.js';
export { EventStream, type HistoryPage, type StreamRequest } from './streams/event-stream.js';
export { EventStreamsModule } from './streams/event-streams.module.js';
export {
  EVENT_TYPE_MAX_LENGTH,
  EVENT_TYPE_PATTERN,
  KNOWN_EVENT_TYPES,
  type ExecutionRef,
  type LoggedEvent,
  type NewEvent,
  type PublishedEvent,
} from './log/event-types.js';
export { EVENT_SHAPES, eventSchemas, type EventSchema, type EventShape } from './log/event-shapes.js';
export { FinalExecutions, type FinalExecution } from './streams/final-executions.js';
export type { StreamSink } from './streams/stream-sink.js';
export { EventsHandlersModule } from './events.handlers.module.js';
export { EventProvider, LogFollower } from './feed/event-provider.js';
export { UnreadLogs } from './feed/unread-logs.js';
