import { eventSchemas } from '@app/events';
import { ExecutionEventService } from '@app/executions';
import {
  CurrentCaller,
  HotRoute,
  KeyEndedSignal,
  LastEventId,
  Repeatable,
  type RepeatableRequest,
  RequireScope,
  Returns,
  SseResponse,
  Summary,
} from '@app/http';
import type { Caller } from '@app/kernel';
import { Body, Controller, Get, Header, Param, Post, Res } from '@nestjs/common';
import { ApiExtension, ApiHeader, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { LeaseToken } from '../lease-token.js';
import { PublishEventRequest } from './dto/execution-event.request.dto.js';
import { ExecutionStreams } from './execution-streams.js';
import { AcceptsStreamTicket } from '../../auth/stream-ticket.js';
import { PublishedEventResponse, StreamTicketResponse } from './dto/execution-event.response.dto.js';
import { toNewEvent, toPublishedEventResponse, toStreamTicketResponse } from './execution-event.mapper.js';

@ApiTags('events')
@Controller('api/v1/executions')
export class ExecutionEventsController {
  constructor(
    private readonly events: ExecutionEventService,
    private readonly streams: ExecutionStreams,
  ) {}

  @Post(':execution_id/events')
  @Summary('Publishes an event of an execution to its streams.')
  @RequireScope('tasks:execute')
  @HotRoute()
  @Returns(PublishedEventResponse)
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Idempotency key, remembered for the last 512 events of the execution. The same key and body return the first ' +
      'response again, with `Idempotent-Replayed: true`; another body is rejected with status 422',
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

  @Post(':execution_id/stream-ticket')
  @Summary('Creates a ticket that opens the stream of this execution without an API key, for one hour.')
  @RequireScope('tasks:read')
  @Header('Cache-Control', 'no-store')
  @Returns(StreamTicketResponse)
  async createTicket(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
  ): Promise<StreamTicketResponse> {
    return toStreamTicketResponse(await this.streams.issueTicket(caller, executionId));
  }

  @Get(':execution_id/stream')
  @Summary('Streams the events of an execution, from the first one or after a given one.')
  @ApiExtension('x-event-schemas', eventSchemas())
  @RequireScope('tasks:read')
  @AcceptsStreamTicket()
  @ApiResponse({
    status: 200,
    description:
      'Server-sent events, in this order: `connected`, the stored messages, `history_complete`, the stored events ' +
      'after the last event id (all stored events, preceded by `gap_detected`, if that id is unknown), new events, `done`',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  async stream(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
    @LastEventId() lastEventId: string | null,
    @KeyEndedSignal() keyEnd: AbortSignal,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.open(caller, executionId, lastEventId, () => new SseResponse(response, keyEnd));
  }
}
