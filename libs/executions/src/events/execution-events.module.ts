import { EventsModule } from '@app/events';
import { Module } from '@nestjs/common';
import { ExecutionLifecycleModule } from '../executions/execution-lifecycle.module.js';
import { LeasesModule } from '../leases/leases.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ExecutionEventService } from './execution-event.service.js';
import { ExecutionStreamService } from './execution-stream.service.js';

@Module({
  imports: [EventsModule, ExecutionLifecycleModule, LeasesModule, SessionsModule],
  providers: [ExecutionEventService, ExecutionStreamService],
  exports: [ExecutionEventService, ExecutionStreamService],
})
export class ExecutionEventsModule {}
