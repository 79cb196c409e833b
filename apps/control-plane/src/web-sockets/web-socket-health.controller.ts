import { OpensWebSocket, Public, Summary, type WebSocketRequest } from '@app/http';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { WebSocketProvider } from './web-socket.provider.js';

@ApiTags('health')
@Controller('api/health/web-socket')
export class WebSocketHealthController {
  constructor(private readonly provider: WebSocketProvider) {}

  @Get(':probe_token')
  @Summary('Opens a WebSocket that the process uses to check itself. Clients get status 404.')
  @Public()
  answer(
    @Param('probe_token') token: string,
    @OpensWebSocket() opening: WebSocketRequest,
    // Injected so that Nest sends no response of its own.
    @Res() _response: Response,
  ): void {
    this.provider.answer(token, opening);
  }
}
