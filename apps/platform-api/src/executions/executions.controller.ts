import { EventStream, SseResponse } from '@app/events';
import { ExecutionService, ExecutionStreamService } from '@app/executions';
import { Answers, CurrentCaller, RequireScope } from '@app/http';
import type { Caller } from '@app/kernel';
import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { StreamQuery } from './dto/execution.request.dto.js';
import { ExecutionResponse } from './dto/execution.response.dto.js';
import { toExecutionResponse } from './execution.mapper.js';

@ApiTags('executions')
@Controller('api/v1/executions')
export class ExecutionsController {
  constructor(
    private readonly executions: ExecutionService,
    private readonly streams: ExecutionStreamService,
    private readonly events: EventStream,
  ) {}

  @Get(':id')
  @RequireScope('tasks:read')
  @Answers(ExecutionResponse)
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.read(caller, id));
  }

  /** A client that reconnects sends the header; the query is for those that can not, and the header is the newer one. */
  @Get(':id/stream')
  @RequireScope('tasks:read')
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'The last event seen' })
  @ApiResponse({
    status: 200,
    description: 'Server-sent events: what was kept after the last event seen, then what happens, then `done`',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  async stream(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: StreamQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const request = await this.streams.prepare(caller, id, lastEventId ?? query.last_event_id ?? null);
    this.events.open(new SseResponse(response), request);
  }
}
