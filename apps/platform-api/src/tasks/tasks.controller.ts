import {
  Answers,
  AnswersList,
  CurrentCaller,
  Idempotent,
  ListQuery,
  mapListed,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, Listed } from '@app/kernel';
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
  @Summary('Starts a task of an agent.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Answers(TaskResponse, { status: 201, description: 'The task is on its way; its status tells how it goes' })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateTaskRequest): Promise<TaskResponse> {
    return toTaskResponse(await this.tasks.start(caller, { parameters: {}, ...body }));
  }

  @Get()
  @Summary('Lists the tasks, newest first.')
  @RequireScope('tasks:read')
  @AnswersList(TaskResultResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListQuery): Promise<Listed<TaskResultResponse>> {
    return mapListed(await this.tasks.list(caller, toPage(query)), toTaskResultResponse);
  }

  @Get(':id')
  @Summary('Reads a task and its result.')
  @RequireScope('tasks:read')
  @Answers(TaskResultResponse)
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<TaskResultResponse> {
    return toTaskResultResponse(await this.tasks.read(caller, id));
  }
}
