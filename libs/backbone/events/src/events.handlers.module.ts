import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { EventsModule } from './events.module.js';
import { EventFeed } from './feed/event-feed.js';
import { UnreadLogsTask } from './feed/unread-logs.task.js';

/** Background work of the dispatcher role: passes events to the providers that follow the log. */
@Module({ imports: [DispatchHandlersModule, EventsModule], providers: [EventFeed, UnreadLogsTask] })
export class EventsHandlersModule {}
