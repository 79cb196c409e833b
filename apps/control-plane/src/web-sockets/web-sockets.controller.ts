import {
  CurrentCaller,
  KeyEndedSignal,
  LastEventId,
  OpensWebSocket,
  RequireScope,
  Returns,
  Summary,
  UuidParam,
  type WebSocketRequest,
  WebSocketSink,
} from '@app/http';
import type { Caller } from '@app/kernel';
import { WorkerChannels } from '@app/orchestration';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AcceptsStreamTicket } from '../auth/stream-ticket.js';
import { ExecutionStreams } from '../executions/events/execution-streams.js';
import { WebSocketStatsResponse } from './dto/web-socket.response.dto.js';
import { WebSocketConnections } from './web-socket-connections.js';
import { WorkerSocket } from './worker-socket.js';

@ApiTags('events')
@Controller('api/v1/ws')
export class WebSocketsController {
  constructor(
    private readonly streams: ExecutionStreams,
    private readonly channels: WorkerChannels,
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
    await this.streams.open(caller, executionId, lastEventId, () =>
      this.connections.open(caller, opening, WebSocketSink, keyEnd),
    );
  }

  /**
   * Each message is a command: `{"command":"cancel|pause|resume","execution_id"}` or `{"command":"reload","execution_id":null}`,
   * after which the next heartbeat returns the changed settings of the queue. A command can arrive more than once; heartbeats
   * return those of executions as well. The connection does not replace heartbeats. Close codes: 1000 after the worker was
   * disconnected, 1012 to connect again, 1008 if the key was revoked or has expired.
   */
  @Get('workers/:worker_id')
  @Summary('Opens a WebSocket that sends a worker its commands.')
  @RequireScope('runners:manage')
  async commands(
    @CurrentCaller() caller: Caller,
    @UuidParam('worker_id') workerId: string,
    @KeyEndedSignal() keyEnd: AbortSignal,
    @OpensWebSocket() opening: WebSocketRequest,
    // Injected so that Nest sends no response of its own.
    @Res() _response: Response,
  ): Promise<void> {
    await this.channels.connect(caller, workerId, () => this.connections.open(caller, opening, WorkerSocket, keyEnd));
  }
}
