import { NatsConfig, provideConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventBusHealth } from './feed/event-bus-health.js';
import { EventHub } from './streams/event-hub.js';
import { EventLog } from './log/event-log.js';
import { EventProviders } from './feed/event-providers.js';
import { UnreadLogs } from './feed/unread-logs.js';
import { UnreadLogRecorder } from './feed/unread-log-recorder.js';
import { NatsEventProvider } from './nats/nats-event.provider.js';
import { NatsLink } from './nats/nats-link.js';

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
    EventBusHealth,
    EventProviders,
    UnreadLogs,
    UnreadLogRecorder,
    NatsLink,
    NatsEventProvider,
  ],
  exports: [EventLog, EventHub, EventBusHealth, EventProviders, UnreadLogs],
})
export class EventsModule {}
