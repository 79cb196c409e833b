import { WorkerQueueService } from '@app/environments';
import {
  Returns,
  ReturnsList,
  ReturnsNoContent,
  CurrentCaller,
  mapPage,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { ManagedQueueService } from '@app/orchestration';
import { Body, Controller, Delete, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ListWorkerQueuesQuery, UpdateWorkerQueueRequest } from './dto/worker-queue.request.dto.js';
import { WorkerQueueResponse } from './dto/worker-queue.response.dto.js';
import { toWorkerQueueFilter, toWorkerQueueResponse } from './worker-queue.mapper.js';

@ApiTags('worker-queues')
@Controller('api/v1/worker-queues')
export class WorkerQueuesController {
  constructor(
    private readonly queues: WorkerQueueService,
    private readonly managed: ManagedQueueService,
  ) {}

  @Get()
  @Summary('Lists the worker queues of all environments.')
  @RequireScope('runners:read')
  @ReturnsList(WorkerQueueResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListWorkerQueuesQuery,
  ): Promise<PageResult<WorkerQueueResponse>> {
    const filter = toWorkerQueueFilter(query);
    return mapPage(await this.queues.list(caller, filter, toPage(query)), toWorkerQueueResponse);
  }

  @Get(':queue_id')
  @Summary('Returns a worker queue.')
  @RequireScope('runners:read')
  @Returns(WorkerQueueResponse)
  async read(@CurrentCaller() caller: Caller, @Param('queue_id') id: string): Promise<WorkerQueueResponse> {
    return toWorkerQueueResponse(await this.queues.read(caller, id));
  }

  @Patch(':queue_id')
  @Summary('Updates, pauses or resumes a worker queue.')
  @RequireScope('runners:manage')
  @Returns(WorkerQueueResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('queue_id') id: string,
    @Body() body: UpdateWorkerQueueRequest,
  ): Promise<WorkerQueueResponse> {
    return toWorkerQueueResponse(await this.managed.update(caller, id, body));
  }

  @Delete(':queue_id')
  @Summary('Deletes a worker queue without executions and workers.')
  @RequireScope('runners:manage')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('queue_id') id: string): Promise<void> {
    await this.managed.delete(caller, id);
  }
}
