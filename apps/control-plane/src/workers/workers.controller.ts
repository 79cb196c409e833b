import { WorkerRegistration, WorkerService } from '@app/environments';
import {
  Answers,
  AnswersList,
  ClientGone,
  CurrentCaller,
  HotRoute,
  Idempotent,
  KeyEnd,
  mapListed,
  RequireScope,
  Summary,
  toPage,
  UuidParam,
} from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { ConnectedWorkerService } from '@app/runs';
import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CommandHeader, type TellCommands } from './command-header.js';
import { LeaseResponse } from './dto/lease.response.dto.js';
import {
  DisconnectWorkerRequest,
  HeartbeatByBodyRequest,
  HeartbeatRequest,
  ListWorkersQuery,
  PollRequest,
  RegisterWorkerRequest,
} from './dto/worker.request.dto.js';
import {
  DisconnectedWorkerResponse,
  HeartbeatResponse,
  StartedWorkerResponse,
  WorkerResponse,
} from './dto/worker.response.dto.js';
import { toLeaseResponse } from './lease.mapper.js';
import { WorkerSurroundings } from './worker-surroundings.js';
import {
  toDisconnectedWorkerResponse,
  toHeartbeatResponse,
  toPoll,
  toStartedWorkerResponse,
  toWorkerFilter,
  toWorkerResponse,
} from './worker.mapper.js';

@ApiTags('workers')
@Controller('api/v1/workers')
export class WorkersController {
  constructor(
    private readonly workers: WorkerService,
    private readonly registration: WorkerRegistration,
    private readonly connected: ConnectedWorkerService,
    private readonly surroundings: WorkerSurroundings,
  ) {}

  @Get()
  @Summary('Lists the workers.')
  @RequireScope('runners:read')
  @AnswersList(WorkerResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListWorkersQuery): Promise<Listed<WorkerResponse>> {
    return mapListed(await this.workers.list(caller, toWorkerFilter(query), toPage(query)), toWorkerResponse);
  }

  @Post('register')
  @Summary('Registers a worker with the queue it takes its work from.')
  @RequireScope('runners:manage')
  @Idempotent()
  @Answers(StartedWorkerResponse)
  async register(@CurrentCaller() caller: Caller, @Body() body: RegisterWorkerRequest): Promise<StartedWorkerResponse> {
    return toStartedWorkerResponse(await this.registration.register(caller, body), this.surroundings);
  }

  @Post('heartbeat')
  @Summary('Says that the worker the body names is alive.')
  @HotRoute()
  @RequireScope('runners:manage')
  @Answers(HeartbeatResponse, { description: "The same as the heartbeat of the worker's own path" })
  async heartbeatByBody(
    @CurrentCaller() caller: Caller,
    @Body() body: HeartbeatByBodyRequest,
  ): Promise<HeartbeatResponse> {
    return this.heartbeat(caller, body.worker_id, body);
  }

  @Get(':worker_id')
  @Summary('Reads a worker.')
  @RequireScope('runners:read')
  @Answers(WorkerResponse)
  async read(@CurrentCaller() caller: Caller, @UuidParam('worker_id') id: string): Promise<WorkerResponse> {
    return toWorkerResponse(await this.workers.read(caller, id.toLowerCase()));
  }

  @Post(':worker_id/heartbeat')
  @Summary('Says that a worker is alive, renews its leases and answers its commands.')
  @HotRoute()
  @RequireScope('runners:manage')
  @Answers(HeartbeatResponse)
  async heartbeat(
    @CurrentCaller() caller: Caller,
    @UuidParam('worker_id') id: string,
    @Body() body: HeartbeatRequest,
  ): Promise<HeartbeatResponse> {
    return toHeartbeatResponse(await this.connected.heartbeat(caller, id.toLowerCase(), body));
  }

  @Post(':worker_id/poll')
  @Summary('Waits for work and answers it as leases.')
  @HotRoute()
  @RequireScope('runners:manage')
  @Answers(LeaseResponse, {
    list: true,
    description:
      'Leases as soon as there is work, or none when the time is over. The header `X-Worker-Commands`, there when there ' +
      "are some, holds the newest of the worker's commands, as the `commands` of a heartbeat's answer do.",
  })
  async poll(
    @CurrentCaller() caller: Caller,
    @UuidParam('worker_id') id: string,
    @Body() body: PollRequest,
    @ClientGone() gone: AbortSignal,
    @KeyEnd() keyEnd: AbortSignal,
    @CommandHeader() tell: TellCommands,
  ): Promise<readonly LeaseResponse[]> {
    const poll = toPoll(body, AbortSignal.any([gone, keyEnd]));
    const { runs, commands } = await this.connected.poll(caller, id.toLowerCase(), poll);
    tell(commands);
    return runs.map(toLeaseResponse);
  }

  @Post(':worker_id/disconnect')
  @Summary('Ends a worker and hands back what it held.')
  @RequireScope('runners:manage')
  @Answers(DisconnectedWorkerResponse)
  async disconnect(
    @CurrentCaller() caller: Caller,
    @UuidParam('worker_id') id: string,
    @Body() body: DisconnectWorkerRequest,
  ): Promise<DisconnectedWorkerResponse> {
    return toDisconnectedWorkerResponse(await this.connected.disconnect(caller, id.toLowerCase(), body));
  }
}
