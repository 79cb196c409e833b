import { CurrentCaller, Idempotent, RequireScope, Returns, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { RequestedRunService } from '@app/runs';
import { WorkflowService } from '@app/workflows';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ExecuteWorkflowRequest, StartedWorkflowResponse } from './dto/workflow-run.dto.js';

/** `:id` is an id or a name. */
@ApiTags('workflows')
@Controller('api/v1/workflows/:id')
export class WorkflowRunsController {
  constructor(
    private readonly workflows: WorkflowService,
    private readonly runs: RequestedRunService,
  ) {}

  @Post('execute')
  @Summary('Starts an execution of a workflow.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(StartedWorkflowResponse)
  async execute(
    @CurrentCaller() caller: Caller,
    @Param('id') idOrName: string,
    @Body() { params = {}, worker_queue_id = null }: ExecuteWorkflowRequest,
  ): Promise<StartedWorkflowResponse> {
    const { id } = await this.workflows.read(caller, idOrName);
    const { execution } = await this.runs.start(caller, { kind: 'workflow', id }, { params, worker_queue_id });
    const { id: execution_id, status, error_message } = execution;
    return { execution_id, workflow_id: id, status, error_message };
  }
}
