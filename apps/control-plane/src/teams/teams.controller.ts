import {
  Answers,
  AnswersList,
  AnswersNothing,
  CurrentCaller,
  Idempotent,
  mapListed,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { TeamRunService, TeamService } from '@app/teams';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { toStartedExecutionResponse } from '../agents/agent.mapper.js';
import { StartedExecutionResponse } from '../agents/dto/agent.response.dto.js';
import { CreateTeamRequest, ExecuteTeamRequest, ListTeamsQuery, UpdateTeamRequest } from './dto/team.request.dto.js';
import { TeamResponse } from './dto/team.response.dto.js';
import { toTeamFilter, toTeamResponse } from './team.mapper.js';

@ApiTags('teams')
@Controller('api/v1/teams')
export class TeamsController {
  constructor(
    private readonly teams: TeamService,
    private readonly runs: TeamRunService,
  ) {}

  @Get()
  @Summary('Lists the teams.')
  @RequireScope('agents:read')
  @AnswersList(TeamResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListTeamsQuery): Promise<Listed<TeamResponse>> {
    return mapListed(await this.teams.list(caller, toTeamFilter(query), toPage(query)), toTeamResponse);
  }

  @Post()
  @Summary('Creates a team.')
  @RequireScope('agents:write')
  @Idempotent()
  @Answers(TeamResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateTeamRequest): Promise<TeamResponse> {
    return toTeamResponse(await this.teams.create(caller, body));
  }

  @Get(':team_id')
  @Summary('Reads a team with its members.')
  @RequireScope('agents:read')
  @Answers(TeamResponse)
  async read(@CurrentCaller() caller: Caller, @Param('team_id') id: string): Promise<TeamResponse> {
    return toTeamResponse(await this.teams.read(caller, id));
  }

  @Patch(':team_id')
  @Summary('Changes the named fields of a team.')
  @RequireScope('agents:write')
  @Answers(TeamResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('team_id') id: string,
    @Body() body: UpdateTeamRequest,
  ): Promise<TeamResponse> {
    return toTeamResponse(await this.teams.update(caller, id, body));
  }

  @Delete(':team_id')
  @Summary('Deletes a team.')
  @RequireScope('agents:write')
  @AnswersNothing()
  async delete(@CurrentCaller() caller: Caller, @Param('team_id') id: string): Promise<void> {
    await this.teams.delete(caller, id);
  }

  @Post(':team_id/execute')
  @Summary('Starts an execution of a team.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Answers(StartedExecutionResponse)
  async execute(
    @CurrentCaller() caller: Caller,
    @Param('team_id') id: string,
    @Body() body: ExecuteTeamRequest,
  ): Promise<StartedExecutionResponse> {
    return toStartedExecutionResponse(await this.runs.execute(caller, id, body));
  }
}
