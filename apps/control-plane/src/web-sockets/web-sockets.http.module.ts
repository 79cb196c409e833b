import { provideConfig, WebSocketConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { EventsHttpModule } from '../events/events.http.module.js';
import { WebSocketConnections } from './web-socket-connections.js';
import { WebSocketsController } from './web-sockets.controller.js';

@Module({
  imports: [EventsHttpModule],
  providers: [provideConfig(WebSocketConfig), WebSocketConnections],
  controllers: [WebSocketsController],
})
export class WebSocketsHttpModule {}
