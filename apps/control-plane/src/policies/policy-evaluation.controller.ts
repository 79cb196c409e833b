import { Returns, CurrentCaller, RequireScope, Summary } from '@app/http';
import { parseEntityType, type Caller } from '@app/kernel';
import { ENTITY_TYPES, PolicyDecisionService } from '@app/policies';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  toAuthorizationResponse,
  toCheckAuthorization,
  toEvaluatePolicies,
  toPolicyEvaluationResponse,
} from './policy-decision.mapper.js';
import { CheckAuthorizationRequest, EvaluatePoliciesRequest } from './dto/evaluation.request.dto.js';
import { AuthorizationResponse, PolicyEvaluationResponse } from './dto/evaluation.response.dto.js';

@ApiTags('policies')
@Controller('api/v1/policies')
export class PolicyEvaluationController {
  constructor(private readonly decisions: PolicyDecisionService) {}

  @Post('evaluate/:entity_type/:entity_id')
  @Summary('Evaluates the policies of an entity with any input.')
  @RequireScope('agents:read')
  @Returns(PolicyEvaluationResponse, { description: 'Result of the evaluation' })
  async evaluate(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
    @Body() body: EvaluatePoliciesRequest,
  ): Promise<PolicyEvaluationResponse> {
    const type = parseEntityType(entityType, ENTITY_TYPES);
    return toPolicyEvaluationResponse(await this.decisions.evaluate(caller, type, entityId, toEvaluatePolicies(body)));
  }

  @Post('check-authorization/:entity_type/:entity_id')
  @Summary('Evaluates whether the policies of an entity allow an action.')
  @RequireScope('agents:read')
  @Returns(AuthorizationResponse, { description: 'Result of the evaluation' })
  async checkAuthorization(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
    @Body() body: CheckAuthorizationRequest,
  ): Promise<AuthorizationResponse> {
    const type = parseEntityType(entityType, ENTITY_TYPES);
    const request = toCheckAuthorization(body);
    return toAuthorizationResponse(await this.decisions.checkAuthorization(caller, type, entityId, request));
  }
}
