import { Answers, CurrentCaller, RequireScope, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { entityTypeOf, PolicyDecisionService } from '@app/policies';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  toAuthorizationResponse,
  toCheckAuthorization,
  toEvaluatePolicies,
  toPolicyEvaluationResponse,
} from './decision.mapper.js';
import { CheckAuthorizationRequest, EvaluatePoliciesRequest } from './dto/evaluation.request.dto.js';
import { AuthorizationResponse, PolicyEvaluationResponse } from './dto/evaluation.response.dto.js';

@ApiTags('policies')
@Controller('api/v1/policies')
export class PolicyEvaluationController {
  constructor(private readonly decisions: PolicyDecisionService) {}

  @Post('evaluate/:entity_type/:entity_id')
  @Summary('Asks the policies of an entity about any input.')
  @RequireScope('agents:read')
  @Answers(PolicyEvaluationResponse, { description: 'Of an environment the name will do' })
  async evaluate(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
    @Body() body: EvaluatePoliciesRequest,
  ): Promise<PolicyEvaluationResponse> {
    const type = entityTypeOf(entityType);
    return toPolicyEvaluationResponse(await this.decisions.evaluate(caller, type, entityId, toEvaluatePolicies(body)));
  }

  @Post('check-authorization/:entity_type/:entity_id')
  @Summary('Asks the policies of an entity whether an action is allowed.')
  @RequireScope('agents:read')
  @Answers(AuthorizationResponse, { description: 'Of an environment the name will do' })
  async checkAuthorization(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
    @Body() body: CheckAuthorizationRequest,
  ): Promise<AuthorizationResponse> {
    const type = entityTypeOf(entityType);
    const asked = toCheckAuthorization(body);
    return toAuthorizationResponse(await this.decisions.checkAuthorization(caller, type, entityId, asked));
  }
}
