import { TaskRecordService } from '@app/executions';
import { Answers, CurrentCaller, Idempotent, LargeBody, LeaseToken, RequireScope, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  toBatch,
  toBatchResponse,
  toSummaryFilter,
  toSummaryResponse,
  toTaskRecordResponse,
} from './analytics.mapper.js';
import { BatchRequest, CreateTaskRequest, SummaryQuery, UpdateTaskRequest } from './dto/analytics.request.dto.js';
import { BatchResponse, SummaryResponse, TaskRecordResponse } from './dto/analytics.response.dto.js';

@ApiTags('analytics')
@Controller('api/v1/analytics')
export class AnalyticsController {
  constructor(private readonly tasks: TaskRecordService) {}

  @Post('tasks')
  @Summary('Records a task of an execution.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Answers(TaskRecordResponse, { status: 201, description: 'The same task again updates its record' })
  async createTask(
    @CurrentCaller() caller: Caller,
    @Body() { execution_id, ...task }: CreateTaskRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<TaskRecordResponse> {
    return toTaskRecordResponse(caller, await this.tasks.save(caller, execution_id, task, leaseToken));
  }

  @Patch('tasks/:task_id')
  @Summary('Changes the record of a task.')
  @RequireScope('tasks:execute')
  @Answers(TaskRecordResponse)
  async updateTask(
    @CurrentCaller() caller: Caller,
    @Param('task_id') id: string,
    @Body() body: UpdateTaskRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<TaskRecordResponse> {
    return toTaskRecordResponse(caller, await this.tasks.update(caller, id, body, leaseToken));
  }

  @Post('batch')
  @Summary('Records turns, tool calls and tasks of an execution at once.')
  @LargeBody()
  @RequireScope('tasks:execute')
  @Idempotent()
  @Answers(BatchResponse)
  async saveBatch(
    @CurrentCaller() caller: Caller,
    @Body() body: BatchRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<BatchResponse> {
    const batch = toBatch(body);
    await this.tasks.saveBatch(caller, body.execution_id, batch, leaseToken);
    return toBatchResponse(body.execution_id, batch);
  }

  @Get('summary')
  @Summary('Sums up executions, turns, tool calls and tasks.')
  @RequireScope('tasks:read')
  @Answers(SummaryResponse)
  async summary(@CurrentCaller() caller: Caller, @Query() query: SummaryQuery): Promise<SummaryResponse> {
    return toSummaryResponse(await this.tasks.summary(caller, toSummaryFilter(query)));
  }
}
