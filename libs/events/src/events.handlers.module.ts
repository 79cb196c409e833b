import { Module } from '@nestjs/common';
import { EventsModule } from './events.module.js';
import { EventFeed } from './feed/event-feed.js';

/** Background work of the dispatcher role: passes events to the providers that follow the log. */
@Module({ imports: [EventsModule], providers: [EventFeed] })
export class EventsHandlersModule {}
