import { EnvironmentService } from '@app/environments';
import {
  CommitsWithResponse,
  Returns,
  ReturnsList,
  ReturnsNoContent,
  CurrentCaller,
  Idempotent,
  NamedListQuery,
  RequireScope,
  Summary,
  toNameFilter,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateEnvironmentRequest, UpdateEnvironmentRequest } from './dto/environment.request.dto.js';
import { EnvironmentResponse } from './dto/environment.response.dto.js';
import { EnvironmentPresenter } from './environment.presenter.js';

/** `:environment_id` is an id or a name. */
@ApiTags('environments')
@Controller('api/v1/environments')
export class EnvironmentsController {
  constructor(
    private readonly environments: EnvironmentService,
    private readonly presenter: EnvironmentPresenter,
  ) {}

  @Get()
  @Summary('Lists environments.')
  @RequireScope('runners:read')
  @ReturnsList(EnvironmentResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: NamedListQuery,
  ): Promise<PageResult<EnvironmentResponse>> {
    return this.presenter.page(caller, await this.environments.list(caller, toPage(query), toNameFilter(query)));
  }

  @Post()
  @Summary('Creates an environment.')
  @RequireScope('runners:manage')
  @Idempotent()
  @CommitsWithResponse()
  @Returns(EnvironmentResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateEnvironmentRequest): Promise<EnvironmentResponse> {
    return this.presenter.one(caller, await this.environments.create(caller, body));
  }

  @Get(':environment_id')
  @Summary('Returns an environment by its id or name.')
  @RequireScope('runners:read')
  @Returns(EnvironmentResponse)
  async read(@CurrentCaller() caller: Caller, @Param('environment_id') id: string): Promise<EnvironmentResponse> {
    return this.presenter.one(caller, await this.environments.read(caller, id));
  }

  @Patch(':environment_id')
  @Summary('Updates the given fields of an environment.')
  @RequireScope('runners:manage')
  @CommitsWithResponse()
  @Returns(EnvironmentResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('environment_id') id: string,
    @Body() body: UpdateEnvironmentRequest,
  ): Promise<EnvironmentResponse> {
    return this.presenter.one(caller, await this.environments.update(caller, id, body));
  }

  @Delete(':environment_id')
  @Summary('Deletes an environment without worker queues.')
  @RequireScope('runners:manage')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('environment_id') id: string): Promise<void> {
    await this.environments.delete(caller, id);
  }
}
