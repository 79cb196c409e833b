import { WorkerService } from '@app/environments';
import { CurrentCaller, HotRoute, NaturallyIdempotent, RequireScope, Returns, Summary, UuidParam } from '@app/http';
import type { Caller } from '@app/kernel';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { WorkerReportsRequest } from './dto/worker-reports.request.dto.js';
import { WorkerReportsResponse } from './dto/worker-reports.response.dto.js';
import { WorkerReports } from './worker-reports.js';

@ApiTags('workers')
@Controller('api/v1/workers')
export class WorkerReportsController {
  constructor(
    private readonly workers: WorkerService,
    private readonly reports: WorkerReports,
  ) {}

  @Post(':worker_id/reports')
  @Summary('Applies several reports on executions, each with its own outcome.')
  @HotRoute()
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(WorkerReportsResponse, {
    description:
      'Outcome of each report, also if some or all of them failed. A report that follows a failure with status 429 or 5xx on the same execution is not applied and has the same outcome',
  })
  async report(
    @CurrentCaller() caller: Caller,
    @UuidParam('worker_id') id: string,
    @Body() { reports }: WorkerReportsRequest,
  ): Promise<WorkerReportsResponse> {
    await this.workers.read(caller, id);
    return { outcomes: await this.reports.apply(caller, reports) };
  }
}
