import { EnvironmentService } from '@app/environments';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  CurrentCaller,
  Idempotent,
  ListQuery,
  mapListed,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateEnvironmentRequest, UpdateEnvironmentRequest } from './dto/environment.request.dto.js';
import { EnvironmentResponse } from './dto/environment.response.dto.js';
import { toEnvironmentResponse } from './environment.mapper.js';

/** A path names an environment by its id or its name. */
@ApiTags('environments')
@Controller('api/v1/environments')
export class EnvironmentsController {
  constructor(private readonly environments: EnvironmentService) {}

  @Get()
  @Summary('Lists the environments.')
  @RequireScope('runners:read')
  @AnswersList(EnvironmentResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListQuery): Promise<Listed<EnvironmentResponse>> {
    const listed = await this.environments.list(caller, toPage(query));
    return mapListed(listed, (environment) => toEnvironmentResponse(environment, caller));
  }

  @Post()
  @Summary('Creates an environment.')
  @RequireScope('runners:manage')
  @Idempotent()
  @Answers(EnvironmentResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateEnvironmentRequest): Promise<EnvironmentResponse> {
    return toEnvironmentResponse(await this.environments.create(caller, body), caller);
  }

  @Get(':environment_id')
  @Summary('Reads an environment by its id or its name.')
  @RequireScope('runners:read')
  @Answers(EnvironmentResponse)
  async read(@CurrentCaller() caller: Caller, @Param('environment_id') id: string): Promise<EnvironmentResponse> {
    return toEnvironmentResponse(await this.environments.read(caller, id), caller);
  }

  @Patch(':environment_id')
  @Summary('Changes the named fields of an environment.')
  @RequireScope('runners:manage')
  @Answers(EnvironmentResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('environment_id') id: string,
    @Body() body: UpdateEnvironmentRequest,
  ): Promise<EnvironmentResponse> {
    return toEnvironmentResponse(await this.environments.update(caller, id, body), caller);
  }

  @Delete(':environment_id')
  @Summary('Deletes an environment that has no queues.')
  @RequireScope('runners:manage')
  @AnswersNothing()
  async delete(@CurrentCaller() caller: Caller, @Param('environment_id') id: string): Promise<void> {
    await this.environments.delete(caller, id);
  }
}
