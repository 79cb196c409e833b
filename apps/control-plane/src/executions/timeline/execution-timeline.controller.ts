import { TimelineService } from '@app/executions';
import { CurrentCaller, RequireScope, Returns, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { TimelineResponse } from './dto/execution-timeline.dto.js';
import { ExecutionTimelinePresenter } from './execution-timeline.presenter.js';

/** What happened to an execution. */
@ApiTags('executions')
@Controller('api/v1/executions/:execution_id/timeline')
export class ExecutionTimelineController {
  constructor(
    private readonly timelines: TimelineService,
    private readonly presenter: ExecutionTimelinePresenter,
  ) {}

  @Get()
  @Summary('Returns the attempts of an execution and the changes of its status, with who made them.')
  @RequireScope('tasks:read')
  @Returns(TimelineResponse)
  async read(@CurrentCaller() caller: Caller, @Param('execution_id') id: string): Promise<TimelineResponse> {
    return this.presenter.one(caller, await this.timelines.read(caller, id));
  }
}
