import { EventsModule } from '@app/events';
import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { EventBusHealthController } from './event-bus-health.controller.js';
import { ExecutionEventsController } from './execution-events.controller.js';

@Module({
  imports: [ExecutionsModule, EventsModule],
  controllers: [ExecutionEventsController, EventBusHealthController],
})
export class EventsHttpModule {}
