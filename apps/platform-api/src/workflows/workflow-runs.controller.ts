import { notifyMissingParameters } from '@app/execution-wire';
import { CurrentCaller, Idempotent, Notify, RequireScope, Returns, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { RequestedRunService } from '@app/orchestration';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ExecuteWorkflowRequest, StartedWorkflowResponse } from './dto/workflow-run.dto.js';
import { toStartedWorkflowResponse } from './workflow-run.mapper.js';

/** `:id` is an id or a name. */
@ApiTags('workflows')
@Controller('api/v1/workflows/:id')
export class WorkflowRunsController {
  constructor(private readonly runs: RequestedRunService) {}

  @Post('execute')
  @Summary('Starts an execution of a workflow.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(StartedWorkflowResponse)
  async execute(
    @CurrentCaller() caller: Caller,
    @Param('id') idOrName: string,
    @Body() { params = {}, worker_queue_id = null }: ExecuteWorkflowRequest,
    @Notify() notify: (notice: string) => void,
  ): Promise<StartedWorkflowResponse> {
    const ref = { kind: 'workflow', idOrName } as const;
    const started = await this.runs.startNamed(caller, ref, { params, worker_queue_id });
    notifyMissingParameters(started.missingParameters, notify);
    return toStartedWorkflowResponse(started);
  }
}
