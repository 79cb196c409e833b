import { EnvironmentsModule } from '@app/environments';
import { EventsModule } from '@app/events';
import { ExecutionsModule } from '@app/executions';
import { IdentityModule } from '@app/identity';
import { Module } from '@nestjs/common';
import { EventBusHealthController } from './event-bus-health.controller.js';
import { ExecutionEventsController } from './execution-events.controller.js';
import { ExecutionStreams } from './execution-streams.js';
import { StreamHints } from './stream-hints.js';

@Module({
  imports: [EnvironmentsModule, ExecutionsModule, EventsModule, IdentityModule],
  providers: [StreamHints, ExecutionStreams],
  controllers: [ExecutionEventsController, EventBusHealthController],
  exports: [ExecutionStreams],
})
export class EventsHttpModule {}
