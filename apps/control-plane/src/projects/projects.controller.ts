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
import { ProjectService } from '@app/projects';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ModelNoticeInterceptor } from '../models/model-notice.interceptor.js';
import { PolicyNoticeInterceptor } from '../policies/policy-notice.interceptor.js';
import { CreateProjectRequest, ListProjectsQuery, UpdateProjectRequest } from './dto/project.request.dto.js';
import { ProjectResponse } from './dto/project.response.dto.js';
import { toProjectFilter } from './project.mapper.js';
import { ProjectPresenter } from './project.presenter.js';

@ApiTags('projects')
@Controller('api/v1/projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectService,
    private readonly presenter: ProjectPresenter,
  ) {}

  @Get()
  @Summary('Lists projects, newest first.')
  @RequireScope('agents:read')
  @ReturnsList(ProjectResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListProjectsQuery): Promise<PageResult<ProjectResponse>> {
    return this.presenter.page(caller, await this.projects.list(caller, toProjectFilter(query), toPage(query)));
  }

  @Post()
  @UseInterceptors(PolicyNoticeInterceptor, ModelNoticeInterceptor)
  @Summary('Creates a project.')
  @RequireScope('agents:write')
  @Idempotent()
  @Returns(ProjectResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateProjectRequest): Promise<ProjectResponse> {
    return this.presenter.one(caller, await this.projects.create(caller, body));
  }

  @Get('default')
  @Summary('Returns the default project of the organization, and creates it first if it does not exist.')
  @RequireScope('agents:read')
  @Returns(ProjectResponse)
  async readDefault(@CurrentCaller() caller: Caller): Promise<ProjectResponse> {
    return this.presenter.one(caller, await this.projects.readDefault(caller));
  }

  @Get(':project_id')
  @Summary('Returns a project.')
  @RequireScope('agents:read')
  @Returns(ProjectResponse)
  async read(@CurrentCaller() caller: Caller, @Param('project_id') id: string): Promise<ProjectResponse> {
    return this.presenter.one(caller, await this.projects.read(caller, id));
  }

  @Patch(':project_id')
  @UseInterceptors(PolicyNoticeInterceptor, ModelNoticeInterceptor)
  @Summary('Updates the given fields of a project.')
  @RequireScope('agents:write')
  @Returns(ProjectResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('project_id') id: string,
    @Body() body: UpdateProjectRequest,
  ): Promise<ProjectResponse> {
    return this.presenter.one(caller, await this.projects.update(caller, id, body));
  }

  @Delete(':project_id')
  @Summary('Deletes a project. Its agents and teams stay.')
  @RequireScope('agents:write')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('project_id') id: string): Promise<void> {
    await this.projects.delete(caller, id);
  }
}
