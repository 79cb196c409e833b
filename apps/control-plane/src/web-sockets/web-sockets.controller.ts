import {
  CurrentCaller,
  KeyEndedSignal,
  LastEventId,
  OpensWebSocket,
  RequireScope,
  Returns,
  Summary,
  type WebSocketRequest,
} from '@app/http';
import type { Caller } from '@app/kernel';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AcceptsStreamTicket } from '../auth/stream-ticket.js';
import { ExecutionStreams } from '../events/execution-streams.js';
import { WebSocketStatsResponse } from './dto/web-socket.response.dto.js';
import { WebSocketConnections } from './web-socket-connections.js';

@ApiTags('events')
@Controller('api/v1/ws')
export class WebSocketsController {
  constructor(
    private readonly streams: ExecutionStreams,
    private readonly connections: WebSocketConnections,
  ) {}

  @Get('stats')
  @Summary('Returns how many WebSockets the organization has to this process.')
  @RequireScope('tasks:read')
  @Returns(WebSocketStatsResponse)
  stats(@CurrentCaller() caller: Caller): WebSocketStatsResponse {
    const { connections, max_connections, queued_bytes } = this.connections.statsOf(caller);
    return { connections, max_connections, queued_bytes };
  }

  /**
   * Each message is `{"id","event","data"}`, in the order and with the meaning of the frames of `/executions/{id}/stream`;
   * `id` is null where a frame has none. Close codes: 1000 after `done`, 1012 to connect again with the last event id, 1008 if
   * the key was revoked or has expired.
   */
  @Get('executions/:execution_id')
  @Summary('Opens a WebSocket that sends the events of an execution, from the first one or after a given one.')
  @RequireScope('tasks:read')
  @AcceptsStreamTicket()
  async stream(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
    @LastEventId() lastEventId: string | null,
    @KeyEndedSignal() keyEnd: AbortSignal,
    @OpensWebSocket() opening: WebSocketRequest,
    // Injected so that Nest sends no response of its own.
    @Res() _response: Response,
  ): Promise<void> {
    await this.streams.open(caller, executionId, lastEventId, () => {
      opening.check();
      this.connections.checkRoom(caller);
      return this.connections.add(caller, opening.accept(keyEnd));
    });
  }
}
