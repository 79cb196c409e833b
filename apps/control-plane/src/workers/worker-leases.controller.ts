import { WorkerService } from '@app/environments';
import { LeaseService } from '@app/executions';
import { CurrentCaller, ListQuery, mapPage, RequireScope, ReturnsList, Summary, toPage, UuidParam } from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HeldLeaseResponse } from './dto/held-lease.response.dto.js';
import { toHeldLeaseResponse } from './lease.mapper.js';

@ApiTags('workers')
@Controller('api/v1/workers/:worker_id/leases')
export class WorkerLeasesController {
  constructor(
    private readonly workers: WorkerService,
    private readonly leases: LeaseService,
  ) {}

  @Get()
  @Summary('Lists the executions that a worker holds.')
  @RequireScope('runners:read')
  @ReturnsList(HeldLeaseResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @UuidParam('worker_id') id: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<HeldLeaseResponse>> {
    const worker = await this.workers.read(caller, id);
    return mapPage(await this.leases.listHeld(caller, worker.id, toPage(query)), toHeldLeaseResponse);
  }
}
