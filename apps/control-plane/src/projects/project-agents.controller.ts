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
import { AddProjectAgentRequest } from './dto/project.request.dto.js';
import { ProjectAgentResponse } from './dto/project.response.dto.js';
import { ProjectMemberPresenter } from './project.presenter.js';

@ApiTags('projects')
@Controller('api/v1/projects/:project_id/agents')
export class ProjectAgentsController {
  constructor(
    private readonly members: ProjectMemberService,
    private readonly presenter: ProjectMemberPresenter,
  ) {}

  @Get()
  @Summary('Lists the agents of a project, last added first.')
  @RequireScope('agents:read')
  @ReturnsList(ProjectAgentResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('project_id') projectId: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<ProjectAgentResponse>> {
    const listed = await this.members.list(caller, projectId, 'agent', toPage(query));
    return this.presenter.agentsPage(caller, listed);
  }

  @Post()
  @Summary('Adds an agent to a project.')
  @RequireScope('agents:write')
  @Idempotent()
  @Returns(ProjectAgentResponse, { status: 201 })
  @CommitsWithResponse()
  async add(
    @CurrentCaller() caller: Caller,
    @Param('project_id') projectId: string,
    @Body() { agent_id: id, role = null }: AddProjectAgentRequest,
  ): Promise<ProjectAgentResponse> {
    const member = { kind: 'agent', id } as const;
    return this.presenter.agent(caller, await this.members.add(caller, projectId, { member, role }));
  }

  @Get(':agent_id')
  @Summary('Returns an agent of a project.')
  @RequireScope('agents:read')
  @Returns(ProjectAgentResponse)
  async read(
    @CurrentCaller() caller: Caller,
    @Param('project_id') projectId: string,
    @Param('agent_id') id: string,
  ): Promise<ProjectAgentResponse> {
    return this.presenter.agent(caller, await this.members.read(caller, projectId, { kind: 'agent', id }));
  }

  @Delete(':agent_id')
  @Summary('Removes an agent from a project.')
  @RequireScope('agents:write')
  @ReturnsNoContent()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('project_id') projectId: string,
    @Param('agent_id') id: string,
  ): Promise<void> {
    await this.members.remove(caller, projectId, { kind: 'agent', id });
  }
}
