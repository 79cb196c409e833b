import { WorkerQueueService } from '@app/environments';
import { DeliveryService } from '@app/executions';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  CurrentCaller,
  mapListed,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, Listed } from '@app/kernel';
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
    private readonly deliveries: DeliveryService,
  ) {}

  @Get()
  @Summary('Lists the worker queues of all environments.')
  @RequireScope('runners:read')
  @AnswersList(WorkerQueueResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListWorkerQueuesQuery,
  ): Promise<Listed<WorkerQueueResponse>> {
    const filter = toWorkerQueueFilter(query);
    return mapListed(await this.queues.list(caller, filter, toPage(query)), toWorkerQueueResponse);
  }

  @Get(':queue_id')
  @Summary('Reads a worker queue.')
  @RequireScope('runners:read')
  @Answers(WorkerQueueResponse)
  async read(@CurrentCaller() caller: Caller, @Param('queue_id') id: string): Promise<WorkerQueueResponse> {
    return toWorkerQueueResponse(await this.queues.read(caller, id));
  }

  @Patch(':queue_id')
  @Summary('Changes, pauses or resumes a worker queue.')
  @RequireScope('runners:manage')
  @Answers(WorkerQueueResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('queue_id') id: string,
    @Body() body: UpdateWorkerQueueRequest,
  ): Promise<WorkerQueueResponse> {
    return toWorkerQueueResponse(await this.queues.update(caller, id, body));
  }

  @Delete(':queue_id')
  @Summary('Deletes a worker queue that has no work and no workers.')
  @RequireScope('runners:manage')
  @AnswersNothing()
  async delete(@CurrentCaller() caller: Caller, @Param('queue_id') id: string): Promise<void> {
    await this.queues.delete(caller, id, (queueIds) => this.deliveries.openIn(queueIds));
  }
}
