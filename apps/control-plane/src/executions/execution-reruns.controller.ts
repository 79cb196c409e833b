import { notifyMissingParameters } from '@app/execution-wire';
import { CurrentCaller, Idempotent, Notify, RequireScope, Returns, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { BulkExecutionService, RerunService } from '@app/jobs';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BulkExecutionsRequest, BulkExecutionsResponse, RerunExecutionRequest } from './dto/execution-rerun.dto.js';
import { StartedExecutionResponse } from './dto/started-execution.response.dto.js';
import { toBulkResultResponse } from './execution-rerun.mapper.js';
import { toStartedExecutionResponse } from './started-execution.mapper.js';

/** Repetitions of executions, and actions on many at once. */
@ApiTags('executions')
@Controller('api/v1/executions')
export class ExecutionRerunsController {
  constructor(
    private readonly reruns: RerunService,
    private readonly bulk: BulkExecutionService,
  ) {}

  @Post(':execution_id/rerun')
  @Summary(
    'Starts an execution with the input of another one, for the user of the key. For a run of a job, the job is triggered as it is now.',
  )
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(StartedExecutionResponse)
  async rerun(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Body() body: RerunExecutionRequest,
    @Notify() notify: (notice: string) => void,
  ): Promise<StartedExecutionResponse> {
    const started = await this.reruns.rerun(caller, id, body);
    notifyMissingParameters(started.missingParameters, notify);
    return toStartedExecutionResponse(started);
  }

  @Post('bulk')
  @Summary('Cancels or repeats up to 100 executions. The response has one result for each different id.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(BulkExecutionsResponse)
  async apply(@CurrentCaller() caller: Caller, @Body() body: BulkExecutionsRequest): Promise<BulkExecutionsResponse> {
    const outcomes = await this.bulk.apply(caller, body.action, body.execution_ids);
    return { results: outcomes.map(toBulkResultResponse) };
  }
}
