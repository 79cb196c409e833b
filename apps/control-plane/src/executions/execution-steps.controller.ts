import { ExecutionStepService } from '@app/executions';
import { CurrentCaller, RequireScope, ReturnsList, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { MAX_STEPS } from '@app/workflow-grammar';
import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { LeaseToken } from './lease-token.js';
import { ExecutionStepResponse, ReportStepsRequest } from './dto/execution-step.dto.js';
import { toExecutionStepResponse, toSaveStep } from './execution-step.mapper.js';

/** The steps of executions of workflows. */
@ApiTags('executions')
@Controller('api/v1/executions/:execution_id/steps')
export class ExecutionStepsController {
  constructor(private readonly steps: ExecutionStepService) {}

  @Get()
  @Summary('Lists the steps of an execution of a workflow in the order of its definition; none for other kinds.')
  @RequireScope('tasks:read')
  @ReturnsList(ExecutionStepResponse, { maxItems: MAX_STEPS })
  async list(@CurrentCaller() caller: Caller, @Param('execution_id') id: string): Promise<ExecutionStepResponse[]> {
    return (await this.steps.list(caller, id)).map(toExecutionStepResponse);
  }

  @Patch()
  @Summary('Reports steps of an execution. Workers use it to store the state and the output of each step.')
  @RequireScope('tasks:execute')
  @ReturnsList(ExecutionStepResponse, { isCounted: false, description: 'Reported steps' })
  async report(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') id: string,
    @Body() body: ReportStepsRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ExecutionStepResponse[]> {
    const saved = await this.steps.save(caller, id, body.steps.map(toSaveStep), leaseToken);
    return saved.map(toExecutionStepResponse);
  }
}
