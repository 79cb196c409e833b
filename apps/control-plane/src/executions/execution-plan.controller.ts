import { CurrentCaller, NaturallyIdempotent, RequireScope, Returns, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { RunPlanService } from '@app/orchestration';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { LeaseToken } from './lease-token.js';
import { PlanExecutionRequest } from './dto/execution-plan.request.dto.js';
import { LeaseResponse } from '../workers/dto/lease.response.dto.js';
import { LeasePresenter } from '../workers/lease.presenter.js';

@ApiTags('executions')
@Controller('api/v1/executions/:execution_id/plan')
export class ExecutionPlanController {
  constructor(
    private readonly plans: RunPlanService,
    private readonly leases: LeasePresenter,
  ) {}

  @Post()
  @Summary('Reports what the worker has chosen for an execution without an entity, and returns the lease for it.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(LeaseResponse, {
    description: 'Lease with the chosen agent or team. A repeated request returns the same lease',
  })
  async plan(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
    @Body() { entity_type, entity_id, prompt = null, reason }: PlanExecutionRequest,
    @LeaseToken() leaseToken: string | null,
  ): Promise<LeaseResponse> {
    return this.plans.plan(caller, {
      executionId,
      leaseToken,
      request: { entity_type, entity_id, prompt, reason },
      present: (runs) => this.leases.many(caller, runs),
    });
  }
}
