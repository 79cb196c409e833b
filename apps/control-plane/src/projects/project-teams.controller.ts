import {
  CommitsWithResponse,
  CurrentCaller,
  Idempotent,
  ListQuery,
  RequireScope,
  Returns,
  ReturnsList,
  ReturnsNoContent,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { ProjectMemberService } from '@app/projects';
import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AddProjectTeamRequest } from './dto/project.request.dto.js';
import { ProjectTeamResponse } from './dto/project.response.dto.js';
import { ProjectMemberPresenter } from './project.presenter.js';

@ApiTags('projects')
@Controller('api/v1/projects/:project_id/teams')
export class ProjectTeamsController {
  constructor(
    private readonly members: ProjectMemberService,
    private readonly presenter: ProjectMemberPresenter,
  ) {}

  @Get()
  @Summary('Lists the teams of a project, last added first.')
  @RequireScope('agents:read')
  @ReturnsList(ProjectTeamResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('project_id') projectId: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<ProjectTeamResponse>> {
    const listed = await this.members.list(caller, projectId, 'team', toPage(query));
    return this.presenter.teamsPage(caller, listed);
  }

  @Post()
  @Summary('Adds a team to a project.')
  @RequireScope('agents:write')
  @Idempotent()
  @Returns(ProjectTeamResponse, { status: 201 })
  @CommitsWithResponse()
  async add(
    @CurrentCaller() caller: Caller,
    @Param('project_id') projectId: string,
    @Body() { team_id: id, role = null }: AddProjectTeamRequest,
  ): Promise<ProjectTeamResponse> {
    const member = { kind: 'team', id } as const;
    return this.presenter.team(caller, await this.members.add(caller, projectId, { member, role }));
  }

  @Get(':team_id')
  @Summary('Returns a team of a project.')
  @RequireScope('agents:read')
  @Returns(ProjectTeamResponse)
  async read(
    @CurrentCaller() caller: Caller,
    @Param('project_id') projectId: string,
    @Param('team_id') id: string,
  ): Promise<ProjectTeamResponse> {
    return this.presenter.team(caller, await this.members.read(caller, projectId, { kind: 'team', id }));
  }

  @Delete(':team_id')
  @Summary('Removes a team from a project.')
  @RequireScope('agents:write')
  @ReturnsNoContent()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('project_id') projectId: string,
    @Param('team_id') id: string,
  ): Promise<void> {
    await this.members.remove(caller, projectId, { kind: 'team', id });
  }
}
