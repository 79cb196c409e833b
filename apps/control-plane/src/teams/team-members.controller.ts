import {
  CommitsWithResponse,
  CurrentCaller,
  Idempotent,
  isPrintable,
  Notify,
  RequireScope,
  Returns,
  Summary,
} from '@app/http';
import type { Caller } from '@app/kernel';
import { TeamMemberService } from '@app/teams';
import { Controller, Delete, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { TeamResponse } from './dto/team.response.dto.js';
import { TeamPresenter } from './team.presenter.js';

@ApiTags('teams')
@Controller('api/v1/teams/:team_id/agents/:agent_id')
export class TeamMembersController {
  constructor(
    private readonly members: TeamMemberService,
    private readonly presenter: TeamPresenter,
  ) {}

  @Post()
  @Summary('Adds an agent to a team, and removes it from its previous team.')
  @RequireScope('agents:write')
  @Idempotent()
  @Returns(TeamResponse, { description: 'Team with its members' })
  @CommitsWithResponse()
  async add(
    @CurrentCaller() caller: Caller,
    @Param('team_id') id: string,
    @Param('agent_id') agentId: string,
    @Notify() notify: (notice: string) => void,
  ): Promise<TeamResponse> {
    const { team, left } = await this.members.add(caller, id, agentId);
    if (left !== undefined) notify(`The agent left the team ${isPrintable(left.name) ? left.name : left.id}`);
    return this.presenter.one(caller, team);
  }

  @Delete()
  @Summary('Removes an agent from a team.')
  @RequireScope('agents:write')
  @Returns(TeamResponse)
  @CommitsWithResponse()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('team_id') id: string,
    @Param('agent_id') agentId: string,
  ): Promise<TeamResponse> {
    return this.presenter.one(caller, await this.members.remove(caller, id, agentId));
  }
}
