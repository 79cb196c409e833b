import {
  CurrentCaller,
  mapPage,
  NaturallyIdempotent,
  RequireScope,
  Returns,
  ReturnsList,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { PolicyDecisionService, PolicyReplayService } from '@app/policies';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  toPolicyDecisionFilter,
  toPolicyDecisionResponse,
  toPolicyDecisionSummaryResponse,
  toReplayedDecisionResponse,
} from './policy-decision.mapper.js';
import { ListPolicyDecisionsQuery, ReplayPolicyDecisionRequest } from './dto/policy-decision.request.dto.js';
import {
  PolicyDecisionResponse,
  PolicyDecisionSummaryResponse,
  ReplayedDecisionResponse,
} from './dto/policy-decision.response.dto.js';

@ApiTags('policies')
@Controller('api/v1/policies/decisions')
export class PolicyDecisionsController {
  constructor(
    private readonly decisions: PolicyDecisionService,
    private readonly replays: PolicyReplayService,
  ) {}

  @Get()
  @Summary('Lists recorded policy decisions, newest first.')
  @RequireScope('agents:read')
  @ReturnsList(PolicyDecisionSummaryResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListPolicyDecisionsQuery,
  ): Promise<PageResult<PolicyDecisionSummaryResponse>> {
    const listed = await this.decisions.list(caller, toPolicyDecisionFilter(query), toPage(query));
    return mapPage(listed, toPolicyDecisionSummaryResponse);
  }

  @Get(':decision_id')
  @Summary('Returns a recorded decision with its input.')
  @RequireScope('agents:read')
  @Returns(PolicyDecisionResponse)
  async read(@CurrentCaller() caller: Caller, @Param('decision_id') id: string): Promise<PolicyDecisionResponse> {
    return toPolicyDecisionResponse(await this.decisions.read(caller, id), caller);
  }

  @Post(':decision_id/replay')
  @Summary('Evaluates a recorded decision again: same policy versions, input and time.')
  @RequireScope('agents:read')
  @NaturallyIdempotent()
  @Returns(ReplayedDecisionResponse, { description: 'Recorded and repeated result. The repetition is not recorded' })
  async replay(
    @CurrentCaller() caller: Caller,
    @Param('decision_id') id: string,
    @Body() body: ReplayPolicyDecisionRequest,
  ): Promise<ReplayedDecisionResponse> {
    return toReplayedDecisionResponse(await this.replays.replay(caller, id, body.input_data ?? null));
  }
}
