import {
  Returns,
  ReturnsList,
  CurrentCaller,
  Idempotent,
  NamedListQuery,
  mapPage,
  RequireScope,
  Summary,
  toNameFilter,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { TaskService } from '@app/tasks';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateTaskRequest } from './dto/task.request.dto.js';
import { TaskResponse, TaskResultResponse } from './dto/task.response.dto.js';
import { toTaskResponse, toTaskResultResponse } from './task.mapper.js';

@ApiTags('tasks')
@Controller('api/v1/tasks')
export class TasksController {
  constructor(private readonly tasks: TaskService) {}

  @Post()
  @Summary('Creates a task and starts its execution.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(TaskResponse, { status: 201, description: 'Started task' })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateTaskRequest): Promise<TaskResponse> {
    return toTaskResponse(await this.tasks.start(caller, { parameters: {}, ...body }));
  }

  @Get()
  @Summary('Lists tasks, newest first.')
  @RequireScope('tasks:read')
  @ReturnsList(TaskResultResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: NamedListQuery): Promise<PageResult<TaskResultResponse>> {
    return mapPage(await this.tasks.list(caller, toPage(query), toNameFilter(query)), toTaskResultResponse);
  }

  @Get(':id')
  @Summary('Returns a task with its result.')
  @RequireScope('tasks:read')
  @Returns(TaskResultResponse)
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<TaskResultResponse> {
    return toTaskResultResponse(await this.tasks.read(caller, id));
  }
}
