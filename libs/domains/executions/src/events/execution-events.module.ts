import { EventsModule, EventStreamsModule } from '@app/events';
import { Module } from '@nestjs/common';
import { ExecutionLifecycleModule } from '../executions/execution-lifecycle.module.js';
import { ExecutionService } from '../executions/execution.service.js';
import { LeasesModule } from '../leases/leases.module.js';
import { ConversationsModule } from '../conversations/conversations.module.js';
import { ExecutionEventService } from './execution-event.service.js';
import { ExecutionStreamService } from './execution-stream.service.js';

const streams = EventStreamsModule.of(ExecutionLifecycleModule, ExecutionService);

@Module({
  imports: [EventsModule, streams, ExecutionLifecycleModule, LeasesModule, ConversationsModule],
  providers: [ExecutionEventService, ExecutionStreamService],
  exports: [streams, ExecutionEventService, ExecutionStreamService],
})
export class ExecutionEventsModule {}
