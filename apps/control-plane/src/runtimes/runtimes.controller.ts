import { WorkerService } from '@app/environments';
import { AnyKey, CurrentCaller, ListQuery, ReturnsList, Summary, toPage } from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RuntimeResponse } from './dto/runtime.response.dto.js';
import { toRuntimePage } from './runtime.mapper.js';

@ApiTags('client')
@Controller('api/v1/runtimes')
export class RuntimesController {
  constructor(private readonly workers: WorkerService) {}

  @Get()
  @Summary('Lists the runtimes that agents can use.')
  @AnyKey()
  @ReturnsList(RuntimeResponse, {
    description: 'Runtime `default`, and those that live workers of the organization declare',
  })
  async list(@CurrentCaller() caller: Caller, @Query() query: ListQuery): Promise<PageResult<RuntimeResponse>> {
    return toRuntimePage(await this.workers.runtimesOffered(caller), toPage(query));
  }
}
