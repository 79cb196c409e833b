import { ExecutionService } from '@app/executions';
import {
  Answers,
  AnswersList,
  CurrentCaller,
  HotRoute,
  Idempotent,
  LeaseToken,
  mapListed,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CreateExecutionRequest,
  JobExecutionStatusRequest,
  ListExecutionsQuery,
  UpdateExecutionRequest,
  UpdateExecutionStatusRequest,
} from './dto/execution.request.dto.js';
import {
  CreatedExecutionResponse,
  ExecutionResponse,
  JobExecutionStatusResponse,
} from './dto/execution.response.dto.js';
import {
  toCreatedExecutionResponse,
  toExecutionFilter,
  toExecutionOrigin,
  toExecutionResponse,
  toJobExecutionStatusResponse,
} from './execution.mapper.js';

@ApiTags('executions')
@Controller('api/v1/executions')
export class ExecutionsController {
  constructor(private readonly executions: ExecutionService) {}

  @Post('create')
  @Summary('Creates an execution of an agent, a team or a workflow.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Answers(CreatedExecutionResponse, { status: 201, description: 'An execution its maker runs itself' })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateExecutionRequest,
  ): Promise<CreatedExecutionResponse> {
    return toCreatedExecutionResponse(await this.executions.create(caller, toExecutionOrigin(caller, body)));
  }

  @Get()
  @Summary('Lists the executions, newest first.')
  @RequireScope('tasks:read')
  @AnswersList(ExecutionResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListExecutionsQuery): Promise<Listed<ExecutionResponse>> {
    return mapListed(await this.executions.list(caller, toExecutionFilter(query), toPage(query)), toExecutionResponse);
  }

  @Get(':execution_id')
  @Summary('Reads an execution.')
  @RequireScope('tasks:read')
  @Answers(ExecutionResponse)
  async read(@CurrentCaller() caller: Caller, @Param('execution_id') id: string): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.read(caller, id));
  }

  @Patch(':execution_id')
  @Summary('Changes the named fields of an execution: how workers tell how a run goes.')
  @HotRoute()
  @RequireScope('tasks:execute')
  @Answers(ExecutionResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Body() body: UpdateExecutionRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.patch(caller, id, body, leaseToken));
  }

  @Patch(':execution_id/status')
  @Summary('Changes the status of an execution.')
  @RequireScope('tasks:execute')
  @Answers(ExecutionResponse)
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
  @Answers(ExecutionResponse)
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
  @Answers(ExecutionResponse)
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
  @Answers(ExecutionResponse)
  async resume(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ExecutionResponse> {
    return toExecutionResponse(await this.executions.resume(caller, id, leaseToken));
  }

  @Post(':execution_id/job/:job_id/status')
  @Summary('Reports to a job how its execution went.')
  @RequireScope('tasks:execute')
  @Answers(JobExecutionStatusResponse, { description: 'Where the run stands now' })
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
