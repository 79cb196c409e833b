import {
  CurrentCaller,
  Idempotent,
  mapPage,
  RequireScope,
  Returns,
  RevisedResource,
  ReturnsList,
  ReturnsNoContent,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import {
  CreateWorkflowRequest,
  ListWorkflowsQuery,
  toWorkflowFilter,
  toWorkflowResponse,
  UpdateWorkflowRequest,
  WorkflowResponse,
} from '@app/workflow-wire';
import { WorkflowService } from '@app/workflows';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

/** `:id` is an id or a name. */
@ApiTags('workflows')
@Controller('api/v1/workflows')
@RevisedResource('workflow')
export class WorkflowsController {
  constructor(private readonly workflows: WorkflowService) {}

  @Get()
  @Summary('Lists workflows, newest first.')
  @RequireScope('workflows:read')
  @ReturnsList(WorkflowResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListWorkflowsQuery,
  ): Promise<PageResult<WorkflowResponse>> {
    return mapPage(await this.workflows.list(caller, toWorkflowFilter(query), toPage(query)), toWorkflowResponse);
  }

  @Post()
  @Summary('Creates a workflow. Its steps are checked.')
  @RequireScope('workflows:manage')
  @Idempotent()
  @Returns(WorkflowResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateWorkflowRequest): Promise<WorkflowResponse> {
    return toWorkflowResponse(await this.workflows.create(caller, body));
  }

  @Get(':id')
  @Summary('Returns a workflow.')
  @RequireScope('workflows:read')
  @Returns(WorkflowResponse)
  async read(@CurrentCaller() caller: Caller, @Param('id') idOrName: string): Promise<WorkflowResponse> {
    return toWorkflowResponse(await this.workflows.read(caller, idOrName));
  }

  @Patch(':id')
  @Summary('Updates the given fields of a workflow. A changed definition becomes its next version.')
  @RequireScope('workflows:manage')
  @Returns(WorkflowResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('id') idOrName: string,
    @Body() body: UpdateWorkflowRequest,
  ): Promise<WorkflowResponse> {
    return toWorkflowResponse(await this.workflows.update(caller, idOrName, body));
  }

  @Delete(':id')
  @Summary('Deletes a workflow and its versions.')
  @RequireScope('workflows:manage')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('id') idOrName: string): Promise<void> {
    await this.workflows.delete(caller, idOrName);
  }
}
