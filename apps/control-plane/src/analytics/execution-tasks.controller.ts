import { TaskRecordService } from '@app/executions';
import { AnswersList, CurrentCaller, ListQuery, mapListed, RequireScope, Summary, toPage } from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { toTaskRecordResponse } from './analytics.mapper.js';
import { TaskRecordResponse } from './dto/analytics.response.dto.js';

@ApiTags('executions')
@Controller('api/v1/executions/:execution_id/tasks')
export class ExecutionTasksController {
  constructor(private readonly tasks: TaskRecordService) {}

  /** In the order of their numbers, then of their creation. */
  @Get()
  @Summary('Lists the tasks of an execution.')
  @RequireScope('tasks:read')
  @AnswersList(TaskRecordResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Query() query: ListQuery,
  ): Promise<Listed<TaskRecordResponse>> {
    const listed = await this.tasks.list(caller, id, toPage(query));
    return mapListed(listed, (task) => toTaskRecordResponse(caller, task));
  }
}
