import { Answers, CurrentCaller, Idempotent, RequireScope, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { TeamService } from '@app/teams';
import { Controller, Delete, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { TeamResponse } from './dto/team.response.dto.js';
import { toTeamResponse } from './team.mapper.js';

@ApiTags('teams')
@Controller('api/v1/teams/:team_id/agents/:agent_id')
export class TeamMembersController {
  constructor(private readonly teams: TeamService) {}

  @Post()
  @Summary('Puts an agent into a team.')
  @RequireScope('agents:write')
  @Idempotent()
  @Answers(TeamResponse, { description: 'The team; the agent left the one it was in' })
  async add(
    @CurrentCaller() caller: Caller,
    @Param('team_id') id: string,
    @Param('agent_id') agentId: string,
  ): Promise<TeamResponse> {
    return toTeamResponse(await this.teams.addAgent(caller, id, agentId));
  }

  @Delete()
  @Summary('Takes an agent out of a team.')
  @RequireScope('agents:write')
  @Answers(TeamResponse)
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('team_id') id: string,
    @Param('agent_id') agentId: string,
  ): Promise<TeamResponse> {
    return toTeamResponse(await this.teams.removeAgent(caller, id, agentId));
  }
}
