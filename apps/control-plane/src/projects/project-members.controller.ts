import {
  CommitsWithResponse,
  CurrentCaller,
  Idempotent,
  ListQuery,
  mapPageAsync,
  RequireScope,
  Returns,
  ReturnsList,
  ReturnsNoContent,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { projectMemberNotFound, ProjectMemberService, type ProjectMember } from '@app/projects';
import { Body, Controller, Delete, Get, Param, Post, Query, type Type } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AddProjectAgentRequest, AddProjectTeamRequest } from './dto/project.request.dto.js';
import { ProjectAgentResponse, ProjectTeamResponse } from './dto/project.response.dto.js';
import { ProjectMemberPresenter } from './project.presenter.js';

/** The routes of the members of one kind, except the one whose request names the kind. */
function membersController<Response extends object>(kind: 'agent' | 'team', Member: Type<Response>) {
  @ApiTags('projects')
  abstract class MembersController {
    constructor(
      private readonly members: ProjectMemberService,
      protected readonly presenter: ProjectMemberPresenter,
    ) {}

    /** Leaves out members whose agent or team was deleted after they were read. */
    protected abstract present(caller: Caller, members: readonly ProjectMember[]): Promise<Response[]>;

    @Get()
    @Summary(`Lists the ${kind}s of a project, last added first.`)
    @RequireScope('agents:read')
    @ReturnsList(Member)
    async list(
      @CurrentCaller() caller: Caller,
      @Param('project_id') projectId: string,
      @Query() query: ListQuery,
    ): Promise<PageResult<Response>> {
      const listed = await this.members.list(caller, projectId, kind, toPage(query));
      return mapPageAsync(listed, (members) => this.present(caller, members));
    }

    @Get(`:${kind}_id`)
    @Summary(`Returns ${kind === 'agent' ? 'an agent' : 'a team'} of a project.`)
    @RequireScope('agents:read')
    @Returns(Member)
    async read(
      @CurrentCaller() caller: Caller,
      @Param('project_id') projectId: string,
      @Param(`${kind}_id`) id: string,
    ): Promise<Response> {
      return this.one(caller, await this.members.read(caller, projectId, { kind, id }));
    }

    @Delete(`:${kind}_id`)
    @Summary(`Removes ${kind === 'agent' ? 'an agent' : 'a team'} from a project.`)
    @RequireScope('agents:write')
    @ReturnsNoContent()
    async remove(
      @CurrentCaller() caller: Caller,
      @Param('project_id') projectId: string,
      @Param(`${kind}_id`) id: string,
    ): Promise<void> {
      await this.members.remove(caller, projectId, { kind, id });
    }

    protected async store(
      caller: Caller,
      projectId: string,
      { id, role = null }: { id: string; role?: string | null | undefined },
    ): Promise<Response> {
      return this.one(caller, await this.members.add(caller, projectId, { member: { kind, id }, role }));
    }

    private async one(caller: Caller, member: ProjectMember): Promise<Response> {
      const [response] = await this.present(caller, [member]);
      if (response === undefined) throw projectMemberNotFound(kind);
      return response;
    }
  }
  return MembersController;
}

@Controller('api/v1/projects/:project_id/agents')
export class ProjectAgentsController extends membersController('agent', ProjectAgentResponse) {
  @Post()
  @Summary('Adds an agent to a project.')
  @RequireScope('agents:write')
  @Idempotent()
  @Returns(ProjectAgentResponse, { status: 201 })
  @CommitsWithResponse()
  async add(
    @CurrentCaller() caller: Caller,
    @Param('project_id') projectId: string,
    @Body() { agent_id: id, role }: AddProjectAgentRequest,
  ): Promise<ProjectAgentResponse> {
    return this.store(caller, projectId, { id, role });
  }

  protected override async present(caller: Caller, members: readonly ProjectMember[]): Promise<ProjectAgentResponse[]> {
    return this.presenter.agentsOf(caller, members);
  }
}

@Controller('api/v1/projects/:project_id/teams')
export class ProjectTeamsController extends membersController('team', ProjectTeamResponse) {
  @Post()
  @Summary('Adds a team to a project.')
  @RequireScope('agents:write')
  @Idempotent()
  @Returns(ProjectTeamResponse, { status: 201 })
  @CommitsWithResponse()
  async add(
    @CurrentCaller() caller: Caller,
    @Param('project_id') projectId: string,
    @Body() { team_id: id, role }: AddProjectTeamRequest,
  ): Promise<ProjectTeamResponse> {
    return this.store(caller, projectId, { id, role });
  }

  protected override async present(caller: Caller, members: readonly ProjectMember[]): Promise<ProjectTeamResponse[]> {
    return this.presenter.teamsOf(caller, members);
  }
}
