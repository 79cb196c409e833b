import { UserSessionService } from '@app/executions';
import {
  CurrentCaller,
  Idempotent,
  ListQuery,
  mapPage,
  RequireScope,
  Returns,
  ReturnsList,
  ReturnsNoContent,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ForkSessionRequest, ListSessionsQuery, UpdateSessionRequest } from './dto/session.request.dto.js';
import { SessionMessageResponse } from './dto/session-message.response.dto.js';
import { UserSessionResponse } from './dto/session.response.dto.js';
import { toSessionMessageResponse } from './session.mapper.js';
import { SessionPresenter } from './session.presenter.js';

/** Conversations of users over any number of executions. Starts of executions create and continue them. */
@ApiTags('sessions')
@Controller('api/v1/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: UserSessionService,
    private readonly presenter: SessionPresenter,
  ) {}

  @Get()
  @Summary('Lists sessions, last used first.')
  @RequireScope('tasks:read')
  @ReturnsList(UserSessionResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListSessionsQuery,
  ): Promise<PageResult<UserSessionResponse>> {
    const filter = await this.presenter.filterOf(caller, query);
    return this.presenter.page(caller, await this.sessions.list(caller, filter, toPage(query)));
  }

  @Get(':user_session_id')
  @Summary('Returns a session.')
  @RequireScope('tasks:read')
  @Returns(UserSessionResponse)
  async read(@CurrentCaller() caller: Caller, @Param('user_session_id') id: string): Promise<UserSessionResponse> {
    return this.presenter.one(caller, await this.sessions.read(caller, id));
  }

  @Patch(':user_session_id')
  @Summary('Renames a session.')
  @RequireScope('tasks:execute')
  @Returns(UserSessionResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('user_session_id') id: string,
    @Body() { name }: UpdateSessionRequest,
  ): Promise<UserSessionResponse> {
    return this.presenter.one(caller, await this.sessions.rename(caller, id, name));
  }

  @Delete(':user_session_id')
  @Summary(
    'Deletes a session and the messages of its executions, which remain without a session. Returns 409 while one of them has not ended.',
  )
  @RequireScope('tasks:execute')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('user_session_id') id: string): Promise<void> {
    await this.sessions.delete(caller, id);
  }

  @Get(':user_session_id/messages')
  @Summary(
    'Lists the messages of all executions of a session, oldest first, each with the `execution_id` of its execution.',
  )
  @RequireScope('tasks:read')
  @ReturnsList(SessionMessageResponse)
  async messages(
    @CurrentCaller() caller: Caller,
    @Param('user_session_id') id: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<SessionMessageResponse>> {
    return mapPage(await this.sessions.messages(caller, id, toPage(query)), toSessionMessageResponse);
  }

  @Post(':user_session_id/fork')
  @Summary('Creates a session of the caller that begins with the messages of another one and continues independently.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(UserSessionResponse, { status: 201 })
  async fork(
    @CurrentCaller() caller: Caller,
    @Param('user_session_id') id: string,
    @Body() { message_id: messageId = null, name = null }: ForkSessionRequest,
  ): Promise<UserSessionResponse> {
    return this.presenter.one(caller, await this.sessions.fork(caller, id, messageId, name));
  }
}
