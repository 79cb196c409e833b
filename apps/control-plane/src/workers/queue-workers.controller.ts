import { WorkerService } from '@app/environments';
import {
  Returns,
  ReturnsList,
  CurrentCaller,
  Idempotent,
  ListQuery,
  mapPage,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { StartWorkerRequest } from './dto/worker.request.dto.js';
import { StartedWorkerResponse, WorkerResponse } from './dto/worker.response.dto.js';
import { WorkerConnectionInfo } from './worker-connection-info.js';
import { toStartedWorkerResponse, toWorkerResponse } from './worker.mapper.js';

@ApiTags('workers')
@Controller('api/v1/worker-queues/:queue_id')
export class QueueWorkersController {
  constructor(
    private readonly workers: WorkerService,
    private readonly connectionInfo: WorkerConnectionInfo,
  ) {}

  @Get('workers')
  @Summary('Lists the workers of a queue.')
  @RequireScope('runners:read')
  @ReturnsList(WorkerResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('queue_id') queueId: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<WorkerResponse>> {
    return mapPage(await this.workers.listIn(caller, queueId, toPage(query)), toWorkerResponse);
  }

  @Post('start')
  @Summary('Registers a worker in a queue.')
  @RequireScope('runners:manage')
  @Idempotent()
  @Returns(StartedWorkerResponse, {
    description: 'Registered worker. Status 409 if `max_workers` workers are connected',
  })
  async start(
    @CurrentCaller() caller: Caller,
    @Param('queue_id') queueId: string,
    @Body() body: StartWorkerRequest,
  ): Promise<StartedWorkerResponse> {
    return toStartedWorkerResponse(await this.workers.start(caller, queueId, body), this.connectionInfo);
  }
}
