import { EventStream, eventSchemas, type StreamRequest } from '@app/events';
import { ExecutionResponse, toExecutionResponse } from '@app/execution-wire';
import { ExecutionService, ExecutionStreamService } from '@app/executions';
import {
  CurrentCaller,
  KeyEndedSignal,
  LastEventId,
  NaturallyIdempotent,
  RequireScope,
  Returns,
  SseResponse,
  Summary,
} from '@app/http';
import type { Caller } from '@app/kernel';
import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiExtension, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';

@ApiTags('executions')
@Controller('api/v1/executions')
export class ExecutionsController {
  constructor(
    private readonly executions: ExecutionService,
    private readonly streams: ExecutionStreamService,
    private readonly eventStream: EventStream,
  ) {}

  @Get(':id')
  @Summary('Returns an execution.')
  @RequireScope('tasks:read')
  @Returns(ExecutionResponse)
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.read(caller, id));
  }

  @Post(':id/cancel')
  @Summary('Cancels an execution.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(ExecutionResponse)
  async cancel(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.cancel(caller, id, null));
  }

  @Get(':id/stream')
  @Summary('Streams the events of an execution, from the first one or after a given one.')
  @ApiExtension('x-event-schemas', eventSchemas())
  @RequireScope('tasks:read')
  @ApiResponse({
    status: 200,
    description: 'Server-sent events: stored events after the last event id, then new events, then `done`',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  async stream(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @LastEventId() lastEventId: string | null,
    @KeyEndedSignal() keyEnd: AbortSignal,
    @Res() response: Response,
  ): Promise<void> {
    const prepare = (): Promise<StreamRequest> => this.streams.prepare(caller, id, lastEventId);
    await this.eventStream.open(caller, prepare, () => new SseResponse(response, keyEnd));
  }
}
