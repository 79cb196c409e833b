import { WorkerQueueService } from '@app/environments';
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
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateWorkerQueueRequest } from './dto/worker-queue.request.dto.js';
import { WorkerQueueResponse } from './dto/worker-queue.response.dto.js';
import { toWorkerQueueResponse } from './worker-queue.mapper.js';

@ApiTags('worker-queues')
@Controller('api/v1/environments/:environment_id/worker-queues')
export class EnvironmentWorkerQueuesController {
  constructor(private readonly queues: WorkerQueueService) {}

  @Get()
  @Summary('Lists the worker queues of an environment.')
  @RequireScope('runners:read')
  @ReturnsList(WorkerQueueResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('environment_id') environment: string,
    @Query() query: NamedListQuery,
  ): Promise<PageResult<WorkerQueueResponse>> {
    return mapPage(
      await this.queues.listIn(caller, environment, toPage(query), toNameFilter(query)),
      toWorkerQueueResponse,
    );
  }

  @Post()
  @Summary('Creates a worker queue in an environment.')
  @RequireScope('runners:manage')
  @Idempotent()
  @Returns(WorkerQueueResponse, { status: 201 })
  async create(
    @CurrentCaller() caller: Caller,
    @Param('environment_id') environment: string,
    @Body() body: CreateWorkerQueueRequest,
  ): Promise<WorkerQueueResponse> {
    return toWorkerQueueResponse(await this.queues.create(caller, environment, body));
  }
}
