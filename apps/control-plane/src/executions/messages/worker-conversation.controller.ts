import { ExecutionResponse, toExecutionResponse } from '@app/execution-wire';
import { ConversationService } from '@app/executions';
import { CurrentCaller, LargeBody, NaturallyIdempotent, RequireScope, Returns, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { LeaseToken } from '../lease-token.js';
import { AppendMessagesRequest, ConversationQuery, WaitForInputRequest } from './dto/execution-message.request.dto.js';
import { AppendedMessagesResponse, ConversationResponse } from './dto/execution-message.response.dto.js';
import { toConversationResponse } from './execution-message.mapper.js';

/**
 * The conversation of an execution, for the worker that runs it: it reads what the run continues, and appends what the
 * run adds. The conversation consists of the messages that `ExecutionMessagesController` shows to clients, and of those
 * of earlier executions of the session.
 */
@ApiTags('executions')
@Controller('api/v1/executions/:execution_id')
export class WorkerConversationController {
  constructor(private readonly conversations: ConversationService) {}

  @Get('conversation')
  @Summary(
    'Returns the conversation that a run continues: the messages of the execution, and the earlier ones of its session.',
  )
  @RequireScope('tasks:execute')
  @Returns(ConversationResponse)
  async read(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Query() { session_id: sessionId }: ConversationQuery,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ConversationResponse> {
    return toConversationResponse(await this.conversations.read(caller, id, sessionId ?? null, leaseToken));
  }

  @Post('messages')
  @Summary('Appends messages to the conversation of an execution. Skips messages whose ids are stored.')
  @RequireScope('tasks:execute')
  @LargeBody()
  @NaturallyIdempotent()
  @Returns(AppendedMessagesResponse)
  async append(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Body() body: AppendMessagesRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<AppendedMessagesResponse> {
    return { execution_id: id, message_count: await this.conversations.append(caller, id, body, leaseToken) };
  }

  @Post('wait')
  @Summary(
    'Sets an execution to `waiting_for_input` and ends its lease. The next message queues it again; the run continues with the stored conversation.',
  )
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(ExecutionResponse)
  async wait(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Body() body: WaitForInputRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.conversations.waitForInput(caller, id, body, leaseToken));
  }
}
