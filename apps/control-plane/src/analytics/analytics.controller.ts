import { ExecutionAnalyticsService, TaskRecordService } from '@app/executions';
import { Returns, CurrentCaller, Idempotent, LargeBody, LongRead, RequireScope, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { LeaseToken } from '../executions/lease-token.js';
import { toBatch, toBatchResponse, toAnalyticsSummaryFilter, toTaskRecordResponse } from './analytics.mapper.js';
import {
  BatchRequest,
  CreateTaskRequest,
  AnalyticsSummaryQuery,
  UpdateTaskRequest,
} from './dto/analytics.request.dto.js';
import { BatchResponse, AnalyticsSummaryResponse, TaskRecordResponse } from './dto/analytics.response.dto.js';
import { AnalyticsSummaryPresenter } from './analytics-summary.presenter.js';

@ApiTags('analytics')
@Controller('api/v1/analytics')
export class AnalyticsController {
  constructor(
    private readonly tasks: TaskRecordService,
    private readonly analytics: ExecutionAnalyticsService,
    private readonly presenter: AnalyticsSummaryPresenter,
  ) {}

  @Post('tasks')
  @Summary('Creates or updates a task record of an execution.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(TaskRecordResponse, { status: 201 })
  async createTask(
    @CurrentCaller() caller: Caller,
    @Body() { execution_id, ...task }: CreateTaskRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<TaskRecordResponse> {
    return toTaskRecordResponse(caller, await this.tasks.save(caller, execution_id, task, leaseToken));
  }

  @Patch('tasks/:task_id')
  @Summary('Updates the given fields of a task record.')
  @RequireScope('tasks:execute')
  @Returns(TaskRecordResponse)
  async updateTask(
    @CurrentCaller() caller: Caller,
    @Param('task_id') id: string,
    @Body() body: UpdateTaskRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<TaskRecordResponse> {
    return toTaskRecordResponse(caller, await this.tasks.update(caller, id, body, leaseToken));
  }

  @Post('batch')
  @Summary('Saves turns, tool calls and task records of an execution in one transaction.')
  @LargeBody()
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(BatchResponse)
  async saveBatch(
    @CurrentCaller() caller: Caller,
    @Body() body: BatchRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<BatchResponse> {
    const batch = toBatch(body);
    await this.tasks.saveBatch(caller, body.execution_id, batch, leaseToken);
    return toBatchResponse(body.execution_id, batch);
  }

  /** Includes deleted executions and records, except those created in an hour that the period covers only in part. */
  @Get('summary')
  @Summary('Returns totals of executions, tokens, cost, turns, tool calls and tasks.')
  @RequireScope('tasks:read')
  @LongRead()
  @Returns(AnalyticsSummaryResponse)
  async summary(
    @CurrentCaller() caller: Caller,
    @Query() query: AnalyticsSummaryQuery,
  ): Promise<AnalyticsSummaryResponse> {
    return this.presenter.present(caller, await this.analytics.summary(caller, toAnalyticsSummaryFilter(query)));
  }
}
