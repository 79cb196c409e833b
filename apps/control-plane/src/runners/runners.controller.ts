import { RunnerService } from '@app/environments';
import {
  CurrentCaller,
  Idempotent,
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
import { CreateRunnerRequest, ListRunnersQuery, UpdateRunnerRequest } from './dto/runner.request.dto.js';
import { RunnerDetailsResponse, RunnerResponse } from './dto/runner.response.dto.js';
import { toRunnerFilter } from './runner.mapper.js';
import { RunnerPresenter } from './runner.presenter.js';

@ApiTags('runners')
@Controller('api/v1/runners')
export class RunnersController {
  constructor(
    private readonly runners: RunnerService,
    private readonly presenter: RunnerPresenter,
  ) {}

  @Get()
  @Summary('Lists runners, newest first.')
  @RequireScope('runners:read')
  @ReturnsList(RunnerResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListRunnersQuery): Promise<PageResult<RunnerResponse>> {
    return this.presenter.page(caller, await this.runners.list(caller, toRunnerFilter(query), toPage(query)));
  }

  @Post()
  @Summary('Creates a runner before its first worker starts.')
  @RequireScope('runners:manage')
  @Idempotent()
  @Returns(RunnerResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateRunnerRequest): Promise<RunnerResponse> {
    return this.presenter.one(caller, await this.runners.create(caller, body));
  }

  @Get(':runner_id')
  @Summary('Returns a runner with its newest workers.')
  @RequireScope('runners:read')
  @Returns(RunnerDetailsResponse)
  async read(@CurrentCaller() caller: Caller, @Param('runner_id') id: string): Promise<RunnerDetailsResponse> {
    return this.presenter.details(caller, await this.runners.read(caller, id));
  }

  @Patch(':runner_id')
  @Summary('Updates the given fields of a runner.')
  @RequireScope('runners:manage')
  @Returns(RunnerResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('runner_id') id: string,
    @Body() body: UpdateRunnerRequest,
  ): Promise<RunnerResponse> {
    return this.presenter.one(caller, await this.runners.update(caller, id, body));
  }

  @Delete(':runner_id')
  @Summary('Deletes a runner. Returns 409 while workers of the runner are connected.')
  @RequireScope('runners:manage')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('runner_id') id: string): Promise<void> {
    await this.runners.delete(caller, id);
  }
}
