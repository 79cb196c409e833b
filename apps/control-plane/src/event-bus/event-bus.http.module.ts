import { EventsModule } from '@app/events';
import { Module } from '@nestjs/common';
import { EventBusHealthController } from './event-bus-health.controller.js';

@Module({
  imports: [EventsModule],
  controllers: [EventBusHealthController],
})
export class EventBusHttpModule {}
