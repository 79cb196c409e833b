import { Module } from '@nestjs/common';
import { EventBusHealth } from './event-bus-health.js';
import { EventHub } from './event-hub.js';
import { EventLog } from './event-log.js';
import { EventStream } from './event-stream.js';
import { StreamMetrics } from './stream-metrics.js';

/** Event log and fan-out of execution events. Independent of all domains: callers pass the required data of an execution. */
@Module({
  providers: [EventLog, EventHub, EventStream, StreamMetrics, EventBusHealth],
  exports: [EventLog, EventStream, EventBusHealth],
})
export class EventsModule {}
