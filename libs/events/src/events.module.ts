import { NatsConfig, provideConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventBusHealth } from './event-bus-health.js';
import { EventHub } from './event-hub.js';
import { EventLog } from './event-log.js';
import { EventStream } from './event-stream.js';
import { EventProviders } from './feed/event-providers.js';
import { UnreadLogs } from './feed/unread-logs.js';
import { UnreadLogRecorder } from './feed/unread-log-recorder.js';
import { NatsEventProvider } from './nats/nats-event.provider.js';
import { NatsLink } from './nats/nats-link.js';
import { StreamMetrics } from './stream-metrics.js';

/**
 * Event log and fan-out of execution events. Independent of all domains: callers pass the required data of an
 * execution.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    provideConfig(NatsConfig),
    EventLog,
    EventHub,
    EventStream,
    StreamMetrics,
    EventBusHealth,
    EventProviders,
    UnreadLogs,
    UnreadLogRecorder,
    NatsLink,
    NatsEventProvider,
  ],
  exports: [EventLog, EventStream, EventBusHealth, EventProviders, UnreadLogs],
})
export class EventsModule {}
