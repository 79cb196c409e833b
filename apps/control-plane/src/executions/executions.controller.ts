import { ExecutionResponse, toExecutionResponse } from '@app/execution-wire';
import { ExecutionService } from '@app/executions';
import {
  CurrentCaller,
  HotRoute,
  Idempotent,
  mapPage,
  NaturallyIdempotent,
  RequireScope,
  Returns,
  ReturnsList,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { LeaseToken } from './lease-token.js';
import {
  CreateExecutionRequest,
  JobExecutionStatusRequest,
  ListExecutionsQuery,
  UpdateExecutionRequest,
  UpdateExecutionStatusRequest,
} from './dto/execution.request.dto.js';
import { CreatedExecutionResponse, JobExecutionStatusResponse } from './dto/execution.response.dto.js';
import {
  toCreatedExecutionResponse,
  toExecutionFilter,
  toCreateExecution,
  toJobExecutionStatusResponse,
} from './execution.mapper.js';

@ApiTags('executions')
@Controller('api/v1/executions')
export class ExecutionsController {
  constructor(private readonly executions: ExecutionService) {}

  @Post('create')
  @Summary('Creates an execution that the caller itself runs and reports.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(CreatedExecutionResponse, { status: 201 })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateExecutionRequest,
  ): Promise<CreatedExecutionResponse> {
    return toCreatedExecutionResponse(await this.executions.create(caller, toCreateExecution(caller, body)));
  }

  @Get()
  @Summary('Lists executions, newest first.')
  @RequireScope('tasks:read')
  @ReturnsList(ExecutionResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListExecutionsQuery,
  ): Promise<PageResult<ExecutionResponse>> {
    return mapPage(await this.executions.list(caller, toExecutionFilter(query), toPage(query)), toExecutionResponse);
  }

  @Get(':execution_id')
  @Summary('Returns an execution.')
  @RequireScope('tasks:read')
  @Returns(ExecutionResponse)
  async read(@CurrentCaller() caller: Caller, @Param('execution_id') id: string): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.read(caller, id));
  }

  @Patch(':execution_id')
  @Summary('Updates the given fields of an execution. Workers use it to report the progress of a run.')
  @HotRoute()
  @RequireScope('tasks:execute')
  @Returns(ExecutionResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Body() body: UpdateExecutionRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.patch(caller, id, body, leaseToken));
  }

  @Patch(':execution_id/status')
  @Summary('Updates the status of an execution.')
  @RequireScope('tasks:execute')
  @Returns(ExecutionResponse)
  async updateStatus(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Body() body: UpdateExecutionStatusRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.patch(caller, id, body, leaseToken));
  }

  @Post(':execution_id/cancel')
  @Summary('Cancels an execution.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(ExecutionResponse)
  async cancel(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.cancel(caller, id, leaseToken));
  }

  @Post(':execution_id/pause')
  @Summary('Pauses an execution.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(ExecutionResponse)
  async pause(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.pause(caller, id, leaseToken));
  }

  @Post(':execution_id/resume')
  @Summary('Resumes a paused execution.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(ExecutionResponse)
  async resume(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.resume(caller, id, leaseToken));
  }

  @Post(':execution_id/job/:job_id/status')
  @Summary('Reports the status of an execution to its job.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(JobExecutionStatusResponse, { description: 'Status of the run after the report' })
  async reportJobStatus(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Param('job_id') jobId: string,
    @Body() body: JobExecutionStatusRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<JobExecutionStatusResponse> {
    const execution = await this.executions.reportJobStatus(caller, id, jobId, body, leaseToken);
    return toJobExecutionStatusResponse(jobId, execution);
  }
}
