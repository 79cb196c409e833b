import {
  CurrentCaller,
  Idempotent,
  NaturallyIdempotent,
  ListQuery,
  mapPage,
  Notify,
  RequireScope,
  Returns,
  RevisedResource,
  ReturnsList,
  ReturnsNoContent,
  Summary,
  toPage,
} from '@app/http';
import { notifyMissingParameters } from '@app/execution-wire';
import type { Caller, PageResult } from '@app/kernel';
import { RequestedRunService } from '@app/orchestration';
import {
  CreateWorkflowRequest,
  ListWorkflowsQuery,
  toWorkflowFilter,
  toWorkflowResponse,
  UpdateWorkflowRequest,
  WorkflowResponse,
} from '@app/workflow-wire';
import { WorkflowService } from '@app/workflows';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { StartedExecutionResponse } from '../executions/dto/started-execution.response.dto.js';
import { RunPreviewResponse } from '../executions/dto/run-preview.response.dto.js';
import { toRunPreviewResponse } from '../executions/run-preview.mapper.js';
import { toStartedExecutionResponse } from '../executions/started-execution.mapper.js';
import { ModelNoticeInterceptor } from '../models/model-notice.interceptor.js';
import { ExecuteWorkflowRequest } from './dto/workflow.request.dto.js';
import { WorkflowVersionResponse } from './dto/workflow.response.dto.js';
import { toWorkflowVersionResponse } from './workflow.mapper.js';

/** `:workflow_id` is an id or a name. */
@ApiTags('workflows')
@Controller('api/v1/workflows')
@RevisedResource('workflow')
export class WorkflowsController {
  constructor(
    private readonly workflows: WorkflowService,
    private readonly runs: RequestedRunService,
  ) {}

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
  @UseInterceptors(ModelNoticeInterceptor)
  @Returns(WorkflowResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateWorkflowRequest): Promise<WorkflowResponse> {
    return toWorkflowResponse(await this.workflows.create(caller, body));
  }

  @Get(':workflow_id')
  @Summary('Returns a workflow.')
  @RequireScope('workflows:read')
  @Returns(WorkflowResponse)
  async read(@CurrentCaller() caller: Caller, @Param('workflow_id') idOrName: string): Promise<WorkflowResponse> {
    return toWorkflowResponse(await this.workflows.read(caller, idOrName));
  }

  @Patch(':workflow_id')
  @Summary('Updates the given fields of a workflow. A changed definition becomes its next version.')
  @RequireScope('workflows:manage')
  @UseInterceptors(ModelNoticeInterceptor)
  @Returns(WorkflowResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('workflow_id') idOrName: string,
    @Body() body: UpdateWorkflowRequest,
  ): Promise<WorkflowResponse> {
    return toWorkflowResponse(await this.workflows.update(caller, idOrName, body));
  }

  @Delete(':workflow_id')
  @Summary('Deletes a workflow and its versions.')
  @RequireScope('workflows:manage')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('workflow_id') idOrName: string): Promise<void> {
    await this.workflows.delete(caller, idOrName);
  }

  @Post(':workflow_id/preview')
  @Summary('Tells what the start of an execution of a workflow would do. Starts and records nothing.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(RunPreviewResponse, { description: 'Prompt, queue, model and verdict of the policies' })
  async preview(
    @CurrentCaller() caller: Caller,
    @Param('workflow_id') idOrName: string,
    @Body() body: ExecuteWorkflowRequest,
  ): Promise<RunPreviewResponse> {
    const ref = { kind: 'workflow', idOrName } as const;
    return toRunPreviewResponse(await this.runs.previewNamed(caller, ref, { params: {}, ...body }));
  }

  @Post(':workflow_id/execute')
  @Summary('Starts an execution of a workflow.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(StartedExecutionResponse)
  async execute(
    @CurrentCaller() caller: Caller,
    @Param('workflow_id') idOrName: string,
    @Body() body: ExecuteWorkflowRequest,
    @Notify() notify: (notice: string) => void,
  ): Promise<StartedExecutionResponse> {
    const ref = { kind: 'workflow', idOrName } as const;
    const started = await this.runs.startNamed(caller, ref, { params: {}, ...body });
    notifyMissingParameters(started.missingParameters, notify);
    return toStartedExecutionResponse(started);
  }

  @Get(':workflow_id/versions')
  @Summary('Lists the versions of a workflow, newest first.')
  @RequireScope('workflows:read')
  @ReturnsList(WorkflowVersionResponse)
  async listVersions(
    @CurrentCaller() caller: Caller,
    @Param('workflow_id') idOrName: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<WorkflowVersionResponse>> {
    return mapPage(await this.workflows.listVersions(caller, idOrName, toPage(query)), toWorkflowVersionResponse);
  }

  @Get(':workflow_id/versions/:version')
  @Summary('Returns one version of a workflow.')
  @RequireScope('workflows:read')
  @Returns(WorkflowVersionResponse)
  async readVersion(
    @CurrentCaller() caller: Caller,
    @Param('workflow_id') idOrName: string,
    @Param('version') version: string,
  ): Promise<WorkflowVersionResponse> {
    return toWorkflowVersionResponse(await this.workflows.readVersion(caller, idOrName, version));
  }
}
