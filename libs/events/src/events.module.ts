import { Module } from '@nestjs/common';
import { EventBusHealth } from './event-bus-health.js';
import { EventHub } from './event-hub.js';
import { EventLog } from './event-log.js';
import { EventStream } from './event-stream.js';

/** The fan-out of execution events. Knows no domain: what it must know of an execution, its callers tell it. */
@Module({
  providers: [EventLog, EventHub, EventStream, EventBusHealth],
  exports: [EventLog, EventStream, EventBusHealth],
})
export class EventsModule {}
