import { WorkerService } from '@app/environments';
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
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { StartWorkerRequest } from './dto/worker.request.dto.js';
import { StartedWorkerResponse, WorkerResponse } from './dto/worker.response.dto.js';
import { WorkerSurroundings } from './worker-surroundings.js';
import { toStartedWorkerResponse, toWorkerResponse } from './worker.mapper.js';

@ApiTags('workers')
@Controller('api/v1/worker-queues/:queue_id')
export class QueueWorkersController {
  constructor(
    private readonly workers: WorkerService,
    private readonly surroundings: WorkerSurroundings,
  ) {}

  @Get('workers')
  @Summary('Lists the workers of a queue.')
  @RequireScope('runners:read')
  @AnswersList(WorkerResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('queue_id') queueId: string,
    @Query() query: ListQuery,
  ): Promise<Listed<WorkerResponse>> {
    return mapListed(await this.workers.listIn(caller, queueId, toPage(query)), toWorkerResponse);
  }

  @Post('start')
  @Summary('Registers a worker with this queue.')
  @RequireScope('runners:manage')
  @Idempotent()
  @Answers(StartedWorkerResponse, { description: 'A new worker; refused when max_workers are connected' })
  async start(
    @CurrentCaller() caller: Caller,
    @Param('queue_id') queueId: string,
    @Body() body: StartWorkerRequest,
  ): Promise<StartedWorkerResponse> {
    return toStartedWorkerResponse(await this.workers.start(caller, queueId, body), this.surroundings);
  }
}
