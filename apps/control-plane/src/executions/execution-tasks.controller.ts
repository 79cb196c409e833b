import { TaskRecordService } from '@app/executions';
import { ReturnsList, CurrentCaller, ListQuery, mapPage, RequireScope, Summary, toPage } from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { toTaskRecordResponse } from '../analytics/analytics.mapper.js';
import { TaskRecordResponse } from '../analytics/dto/analytics.response.dto.js';
import { ToolCallResponse } from './dto/tool-call.response.dto.js';
import { toToolCallResponse } from './tool-call.mapper.js';

@ApiTags('executions')
@Controller('api/v1/executions/:execution_id')
export class ExecutionTasksController {
  constructor(private readonly tasks: TaskRecordService) {}

  /** Ordered by task number, then by creation. */
  @Get('tasks')
  @Summary('Lists the task records of an execution.')
  @RequireScope('tasks:read')
  @ReturnsList(TaskRecordResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<TaskRecordResponse>> {
    const listed = await this.tasks.list(caller, id, toPage(query));
    return mapPage(listed, (task) => toTaskRecordResponse(caller, task));
  }

  /** Sorted by end time. */
  @Get('tool-calls')
  @Summary('Lists the tool calls of an execution, as its workers reported them when they ended.')
  @RequireScope('tasks:read')
  @ReturnsList(ToolCallResponse)
  async listToolCalls(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<ToolCallResponse>> {
    return mapPage(await this.tasks.listToolCalls(caller, id, toPage(query)), toToolCallResponse);
  }
}
