import {
  CommitsWithResponse,
  Returns,
  RevisedResource,
  ReturnsList,
  ReturnsNoContent,
  CurrentCaller,
  Idempotent,
  NaturallyIdempotent,
  Notify,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { RequestedRunService } from '@app/orchestration';
import { TeamService } from '@app/teams';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ModelNoticeInterceptor } from '../models/model-notice.interceptor.js';
import { RuntimeNoticeInterceptor } from '../runtimes/runtime-notice.interceptor.js';
import { notifyIdleMultitask, notifyIdleTeamSession } from '../sessions/multitask-notice.js';
import { StartedExecutionResponse } from '../executions/dto/started-execution.response.dto.js';
import { RunPreviewResponse } from '../executions/dto/run-preview.response.dto.js';
import { toRunPreviewResponse } from '../executions/run-preview.mapper.js';
import { toStartedExecutionResponse } from '../executions/started-execution.mapper.js';
import { CreateTeamRequest, ExecuteTeamRequest, ListTeamsQuery, UpdateTeamRequest } from './dto/team.request.dto.js';
import { TeamResponse } from './dto/team.response.dto.js';
import { toTeamFilter } from './team.mapper.js';
import { TeamPresenter } from './team.presenter.js';

@ApiTags('teams')
@Controller('api/v1/teams')
@RevisedResource('team')
export class TeamsController {
  constructor(
    private readonly teams: TeamService,
    private readonly runs: RequestedRunService,
    private readonly presenter: TeamPresenter,
  ) {}

  @Get()
  @Summary('Lists teams, newest first.')
  @RequireScope('agents:read')
  @ReturnsList(TeamResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListTeamsQuery): Promise<PageResult<TeamResponse>> {
    return this.presenter.page(caller, await this.teams.list(caller, toTeamFilter(query), toPage(query)));
  }

  @Post()
  @Summary('Creates a team.')
  @RequireScope('agents:write')
  @Idempotent()
  @Returns(TeamResponse, { status: 201 })
  @UseInterceptors(RuntimeNoticeInterceptor, ModelNoticeInterceptor)
  @CommitsWithResponse()
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateTeamRequest,
    @Notify() notify: (notice: string) => void,
  ): Promise<TeamResponse> {
    const team = await this.teams.create(caller, body);
    notifyIdleTeamSession(team, notify);
    return this.presenter.one(caller, team);
  }

  @Get(':team_id')
  @Summary('Returns a team with its members.')
  @RequireScope('agents:read')
  @Returns(TeamResponse)
  async read(@CurrentCaller() caller: Caller, @Param('team_id') id: string): Promise<TeamResponse> {
    return this.presenter.one(caller, await this.teams.read(caller, id));
  }

  @Patch(':team_id')
  @Summary('Updates the given fields of a team.')
  @RequireScope('agents:write')
  @Returns(TeamResponse)
  @UseInterceptors(RuntimeNoticeInterceptor, ModelNoticeInterceptor)
  @CommitsWithResponse()
  async update(
    @CurrentCaller() caller: Caller,
    @Param('team_id') id: string,
    @Body() body: UpdateTeamRequest,
    @Notify() notify: (notice: string) => void,
  ): Promise<TeamResponse> {
    const team = await this.teams.update(caller, id, body);
    notifyIdleTeamSession(team, notify);
    return this.presenter.one(caller, team);
  }

  @Delete(':team_id')
  @Summary('Deletes a team.')
  @RequireScope('agents:write')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('team_id') id: string): Promise<void> {
    await this.teams.delete(caller, id);
  }

  @Post(':team_id/preview')
  @Summary('Tells what the start of an execution of a team would do. Starts and records nothing.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(RunPreviewResponse, { description: 'Prompt, queue, model and verdict of the policies' })
  async preview(
    @CurrentCaller() caller: Caller,
    @Param('team_id') id: string,
    @Body() body: ExecuteTeamRequest,
  ): Promise<RunPreviewResponse> {
    return toRunPreviewResponse(await this.runs.preview(caller, { kind: 'team', id }, body));
  }

  @Post(':team_id/execute')
  @Summary('Starts an execution of a team.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(StartedExecutionResponse)
  async execute(
    @CurrentCaller() caller: Caller,
    @Param('team_id') id: string,
    @Body() body: ExecuteTeamRequest,
    @Notify() notify: (notice: string) => void,
  ): Promise<StartedExecutionResponse> {
    const started = await this.runs.start(caller, { kind: 'team', id }, body);
    notifyIdleMultitask(body, started.execution, notify);
    return toStartedExecutionResponse(started);
  }
}
