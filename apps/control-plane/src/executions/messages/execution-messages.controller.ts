import { SessionService } from '@app/executions';
import {
  CurrentCaller,
  Idempotent,
  LargeBody,
  ListQuery,
  NaturallyIdempotent,
  RequireScope,
  Returns,
  ReturnsList,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { LeaseToken } from '../lease-token.js';
import { ConversationMessage } from './dto/conversation-message.response.dto.js';
import { SaveSessionRequest, SendMessageRequest } from './dto/execution-message.request.dto.js';
import { SentMessageResponse, SessionResponse } from './dto/execution-message.response.dto.js';
import { toSentMessageResponse, toSessionResponse } from './execution-message.mapper.js';

/**
 * The session of an execution, for clients: they read its messages, oldest first, and send messages to the run.
 * `WorkerConversationController` has the routes of the worker that runs it, on the same rows.
 */
@ApiTags('executions')
@Controller('api/v1/executions/:execution_id')
export class ExecutionMessagesController {
  constructor(private readonly sessions: SessionService) {}

  @Get('session')
  @Summary('Returns the session of an execution with its messages.')
  @RequireScope('tasks:read')
  @Returns(SessionResponse)
  async read(@CurrentCaller() caller: Caller, @Param('execution_id') id: string): Promise<SessionResponse> {
    return toSessionResponse(await this.sessions.read(caller, id));
  }

  @Post('session')
  @Summary('Saves the session of an execution. Given fields replace the stored ones.')
  @RequireScope('tasks:execute')
  @LargeBody()
  @NaturallyIdempotent()
  @Returns(SessionResponse, { description: 'Saved session' })
  async save(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Body() body: SaveSessionRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<SessionResponse> {
    return toSessionResponse(await this.sessions.save(caller, id, body, leaseToken));
  }

  @Get('messages')
  @Summary('Lists the messages of an execution.')
  @RequireScope('tasks:read')
  @ReturnsList(ConversationMessage)
  async messages(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<ConversationMessage>> {
    return this.sessions.messages(caller, id, toPage(query));
  }

  @Post('message')
  @Summary('Sends a message to an execution.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(SentMessageResponse)
  async send(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Body() body: SendMessageRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<SentMessageResponse> {
    return toSentMessageResponse(id, await this.sessions.send(caller, id, body, leaseToken));
  }
}
