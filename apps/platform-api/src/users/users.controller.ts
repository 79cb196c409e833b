import {
  CurrentCaller,
  Idempotent,
  mapPage,
  RequireScope,
  Returns,
  ReturnsList,
  ReturnsNoContent,
  Summary,
  toPage,
} from '@app/http';
import { UserDeletionService, UserService } from '@app/identity';
import type { Caller, PageResult } from '@app/kernel';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateUserRequest, ListUsersQuery, UpdateUserRequest } from './dto/user.request.dto.js';
import { UserResponse } from './dto/user.response.dto.js';
import { toUserFilter, toUserResponse } from './user.mapper.js';

@ApiTags('users')
@Controller('api/v1/users')
export class UsersController {
  constructor(
    private readonly users: UserService,
    private readonly deletions: UserDeletionService,
  ) {}

  @Get()
  @Summary('Lists users, newest first.')
  @RequireScope('admin')
  @ReturnsList(UserResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListUsersQuery): Promise<PageResult<UserResponse>> {
    return mapPage(await this.users.list(caller, toUserFilter(query), toPage(query)), toUserResponse);
  }

  @Post()
  @Summary('Creates a user, for whom API keys can then be created.')
  @RequireScope('admin')
  @Idempotent()
  @Returns(UserResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateUserRequest): Promise<UserResponse> {
    return toUserResponse(await this.users.create(caller, body));
  }

  @Get(':id')
  @Summary('Returns a user.')
  @RequireScope('admin')
  @Returns(UserResponse)
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<UserResponse> {
    return toUserResponse(await this.users.read(caller, id));
  }

  @Patch(':id')
  @Summary('Updates the given fields of a user, for example suspends the user.')
  @RequireScope('admin')
  @Returns(UserResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: UpdateUserRequest,
  ): Promise<UserResponse> {
    return toUserResponse(await this.users.update(caller, id, body));
  }

  @Delete(':id')
  @Summary('Deletes a user who has neither API keys nor a history.')
  @RequireScope('admin')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.deletions.delete(caller, id);
  }
}
