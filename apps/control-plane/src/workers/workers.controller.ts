import { WorkerRegistrationService, WorkerService } from '@app/environments';
import {
  ClientClosedSignal,
  CurrentCaller,
  HotRoute,
  Idempotent,
  KeyEndedSignal,
  mapPage,
  NaturallyIdempotent,
  RequireScope,
  Returns,
  ReturnsList,
  Summary,
  toPage,
  UuidParam,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { ConnectedWorkerService } from '@app/orchestration';
import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CommandHeader, type SetCommands } from './command-header.js';
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
import { LeasePresenter } from './lease.presenter.js';
import { WorkerConnectionInfo } from './worker-connection-info.js';
import {
  toDisconnectedWorkerResponse,
  toHeartbeatResponse,
  toPollWindow,
  toStartedWorkerResponse,
  toWorkerFilter,
  toWorkerResponse,
} from './worker.mapper.js';

@ApiTags('workers')
@Controller('api/v1/workers')
export class WorkersController {
  constructor(
    private readonly workers: WorkerService,
    private readonly registration: WorkerRegistrationService,
    private readonly connected: ConnectedWorkerService,
    private readonly leases: LeasePresenter,
    private readonly connectionInfo: WorkerConnectionInfo,
  ) {}

  @Get()
  @Summary('Lists workers.')
  @RequireScope('runners:read')
  @ReturnsList(WorkerResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListWorkersQuery): Promise<PageResult<WorkerResponse>> {
    return mapPage(await this.workers.list(caller, toWorkerFilter(query), toPage(query)), toWorkerResponse);
  }

  @Post('register')
  @Summary('Registers a worker in an environment and a queue.')
  @RequireScope('runners:manage')
  @Idempotent()
  @Returns(StartedWorkerResponse)
  async register(@CurrentCaller() caller: Caller, @Body() body: RegisterWorkerRequest): Promise<StartedWorkerResponse> {
    return toStartedWorkerResponse(await this.registration.register(caller, body), this.connectionInfo);
  }

  @Post('heartbeat')
  @Summary('Records a heartbeat of the worker given in the body.')
  @HotRoute()
  @RequireScope('runners:manage')
  @NaturallyIdempotent()
  @Returns(HeartbeatResponse, { description: 'Same as the heartbeat with the worker id in the path' })
  async heartbeatByBody(
    @CurrentCaller() caller: Caller,
    @Body() body: HeartbeatByBodyRequest,
  ): Promise<HeartbeatResponse> {
    return this.heartbeat(caller, body.worker_id, body);
  }

  @Get(':worker_id')
  @Summary('Returns a worker.')
  @RequireScope('runners:read')
  @Returns(WorkerResponse)
  async read(@CurrentCaller() caller: Caller, @UuidParam('worker_id') id: string): Promise<WorkerResponse> {
    return toWorkerResponse(await this.workers.read(caller, id));
  }

  @Post(':worker_id/heartbeat')
  @Summary('Records a heartbeat, renews the leases of the worker and returns its commands.')
  @HotRoute()
  @RequireScope('runners:manage')
  @NaturallyIdempotent()
  @Returns(HeartbeatResponse)
  async heartbeat(
    @CurrentCaller() caller: Caller,
    @UuidParam('worker_id') id: string,
    @Body() body: HeartbeatRequest,
  ): Promise<HeartbeatResponse> {
    return toHeartbeatResponse(await this.connected.heartbeat(caller, id, body));
  }

  @Post(':worker_id/poll')
  @Summary('Waits for executions and leases them to the worker.')
  @HotRoute()
  @RequireScope('runners:manage')
  @ReturnsList(LeaseResponse, {
    isCounted: false,
    description:
      'Leases as soon as there is work; an empty list after `wait_seconds`. The header `X-Worker-Commands`, sent only ' +
      'with pending commands, contains the newest of them as JSON in the form of `HeartbeatResponse.commands`',
  })
  async poll(
    @CurrentCaller() caller: Caller,
    @UuidParam('worker_id') id: string,
    @Body() body: PollRequest,
    @ClientClosedSignal() clientClosed: AbortSignal,
    @KeyEndedSignal() keyEnded: AbortSignal,
    @CommandHeader() setCommands: SetCommands,
  ): Promise<readonly LeaseResponse[]> {
    const { presented, commands } = await this.connected.poll(caller, id, {
      ...toPollWindow(body),
      signal: AbortSignal.any([clientClosed, keyEnded]),
      present: (runs) => this.leases.many(caller, runs),
    });
    setCommands(commands);
    return presented;
  }

  @Post(':worker_id/disconnect')
  @Summary('Disconnects a worker and releases its leases.')
  @RequireScope('runners:manage')
  @NaturallyIdempotent()
  @Returns(DisconnectedWorkerResponse)
  async disconnect(
    @CurrentCaller() caller: Caller,
    @UuidParam('worker_id') id: string,
    @Body() body: DisconnectWorkerRequest,
  ): Promise<DisconnectedWorkerResponse> {
    return toDisconnectedWorkerResponse(await this.connected.disconnect(caller, id, body));
  }
}
