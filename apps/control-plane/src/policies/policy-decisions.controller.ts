import { Answers, AnswersList, CurrentCaller, mapListed, RequireScope, Summary, toPage } from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { PolicyDecisionService, PolicyReplayService } from '@app/policies';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  toPolicyDecisionFilter,
  toPolicyDecisionResponse,
  toPolicyDecisionSummaryResponse,
  toReplayedDecisionResponse,
} from './decision.mapper.js';
import { ListPolicyDecisionsQuery, ReplayPolicyDecisionRequest } from './dto/decision.request.dto.js';
import {
  PolicyDecisionResponse,
  PolicyDecisionSummaryResponse,
  ReplayedDecisionResponse,
} from './dto/decision.response.dto.js';

@ApiTags('policies')
@Controller('api/v1/policies/decisions')
export class PolicyDecisionsController {
  constructor(
    private readonly decisions: PolicyDecisionService,
    private readonly replays: PolicyReplayService,
  ) {}

  @Get()
  @Summary('Lists the decisions of policies, newest first.')
  @RequireScope('agents:read')
  @AnswersList(PolicyDecisionSummaryResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListPolicyDecisionsQuery,
  ): Promise<Listed<PolicyDecisionSummaryResponse>> {
    const found = await this.decisions.list(caller, toPolicyDecisionFilter(query), toPage(query));
    return mapListed(found, toPolicyDecisionSummaryResponse);
  }

  @Get(':decision_id')
  @Summary('Reads a decision with its input.')
  @RequireScope('agents:read')
  @Answers(PolicyDecisionResponse)
  async read(@CurrentCaller() caller: Caller, @Param('decision_id') id: string): Promise<PolicyDecisionResponse> {
    return toPolicyDecisionResponse(await this.decisions.read(caller, id), caller);
  }

  @Post(':decision_id/replay')
  @Summary('Asks the policies of a decision again, with the input of then.')
  @RequireScope('agents:read')
  @Answers(ReplayedDecisionResponse, { description: 'The same versions, the same input, the same time; not recorded' })
  async replay(
    @CurrentCaller() caller: Caller,
    @Param('decision_id') id: string,
    @Body() body: ReplayPolicyDecisionRequest,
  ): Promise<ReplayedDecisionResponse> {
    return toReplayedDecisionResponse(await this.replays.replay(caller, id, body.input_data ?? null));
  }
}
