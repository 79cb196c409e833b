import { CurrentCaller, ListQuery, mapPage, RequireScope, ReturnsList, Summary, toPage, UuidParam } from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { HeldLeasesService } from '@app/orchestration';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HeldLeaseResponse } from './dto/held-lease.response.dto.js';
import { toHeldLeaseResponse } from './lease.mapper.js';

@ApiTags('workers')
@Controller('api/v1/workers/:worker_id/leases')
export class WorkerLeasesController {
  constructor(private readonly leases: HeldLeasesService) {}

  @Get()
  @Summary('Lists the executions that a worker holds.')
  @RequireScope('runners:read')
  @ReturnsList(HeldLeaseResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @UuidParam('worker_id') id: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<HeldLeaseResponse>> {
    return mapPage(await this.leases.list(caller, id, toPage(query)), toHeldLeaseResponse);
  }
}
