import { provideConfig, WebSocketConfig } from '@app/config';
import { OrchestrationModule } from '@app/orchestration';
import { Module } from '@nestjs/common';
import { ExecutionsHttpModule } from '../executions/executions.http.module.js';
import { PublicAddressModule } from '../public-address/public-address.module.js';
import { WebSocketConnections } from './web-socket-connections.js';
import { WebSocketHealthController } from './web-socket-health.controller.js';
import { WebSocketProvider } from './web-socket.provider.js';
import { WebSocketsController } from './web-sockets.controller.js';

@Module({
  imports: [ExecutionsHttpModule, PublicAddressModule, OrchestrationModule],
  providers: [provideConfig(WebSocketConfig), WebSocketConnections, WebSocketProvider],
  controllers: [WebSocketsController, WebSocketHealthController],
})
export class WebSocketsHttpModule {}
