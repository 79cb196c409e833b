import { EventStream, SseResponse } from '@app/events';
import { ExecutionEventService, ExecutionStreamService } from '@app/executions';
import {
  Answers,
  CurrentCaller,
  HotRoute,
  KeyEnd,
  LastEventId,
  LeaseToken,
  Repeatable,
  RequireScope,
  Summary,
  type RepeatableRequest,
} from '@app/http';
import type { Caller } from '@app/kernel';
import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiHeader, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { PublishEventRequest } from './dto/event.request.dto.js';
import { PublishedEventResponse } from './dto/event.response.dto.js';
import { toNewEvent, toPublishedEventResponse } from './event.mapper.js';

@ApiTags('events')
@Controller('api/v1/executions')
export class ExecutionEventsController {
  constructor(
    private readonly events: ExecutionEventService,
    private readonly streams: ExecutionStreamService,
    private readonly eventStream: EventStream,
  ) {}

  @Post(':execution_id/events')
  @Summary('Publishes an event of an execution to its readers.')
  @RequireScope('tasks:execute')
  @HotRoute()
  @Answers(PublishedEventResponse)
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'One of the last 512 events of the execution that was published under the same key is answered again, with ' +
      '`Idempotent-Replayed: true`; another body under its key is refused.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  })
  async publish(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
    @Body() body: PublishEventRequest,
    @LeaseToken() leaseToken: string | null,
    @Repeatable() repeatable: RepeatableRequest | null,
  ): Promise<PublishedEventResponse> {
    const event = toNewEvent(body, repeatable);
    const published = await this.events.publish(caller, executionId, event, leaseToken);
    if (published.repeated) repeatable?.noteReplay();
    return toPublishedEventResponse(published);
  }

  @Get(':execution_id/stream')
  @Summary('Streams the events of an execution, from its beginning or after the last one seen.')
  @RequireScope('tasks:read')
  @ApiResponse({
    status: 200,
    description:
      'Server-sent events: `connected`, the stored messages, `history_complete`, the events kept after the last one ' +
      'seen (all that are kept, after a `gap_detected`, where that one is unknown), then what happens, then `done`',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  async stream(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
    @LastEventId() lastEventId: string | null,
    @KeyEnd() keyEnd: AbortSignal,
    @Res() response: Response,
  ): Promise<void> {
    const request = await this.streams.prepare(caller, executionId, lastEventId);
    this.eventStream.open(new SseResponse(response, keyEnd), request);
  }
}
