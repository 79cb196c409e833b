import {
  Returns,
  ReturnsList,
  ReturnsNoContent,
  CurrentCaller,
  Idempotent,
  mapPage,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import { parseEntityType, type Caller, type PageResult } from '@app/kernel';
import { DECISION_LIMITS, ENTITY_TYPES, PolicyAssociationService, PolicyResolution } from '@app/policies';
import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CreatePolicyAssociationRequest,
  ListPolicyAssociationsQuery,
  UpdatePolicyAssociationRequest,
} from './dto/policy-association.request.dto.js';
import { PolicyAssociationResponse } from './dto/policy-association.response.dto.js';
import { ResolvedPolicyResponse } from './dto/policy.response.dto.js';
import { PolicyNoticeInterceptor } from './policy-notice.interceptor.js';
import { toPolicyAssociationFilter, toPolicyAssociationResponse, toResolvedPolicyResponse } from './policy.mapper.js';

@ApiTags('policies')
@Controller('api/v1/policies')
export class PolicyAssociationsController {
  constructor(
    private readonly associations: PolicyAssociationService,
    private readonly resolution: PolicyResolution,
  ) {}

  @Get('associations')
  @Summary('Lists associations of policies with agents, teams and environments.')
  @RequireScope('agents:read')
  @ReturnsList(PolicyAssociationResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListPolicyAssociationsQuery,
  ): Promise<PageResult<PolicyAssociationResponse>> {
    const filter = toPolicyAssociationFilter(query);
    return mapPage(await this.associations.list(caller, filter, toPage(query)), toPolicyAssociationResponse);
  }

  @Post('associations')
  @UseInterceptors(PolicyNoticeInterceptor)
  @Summary('Associates a policy with an agent, a team or an environment.')
  @RequireScope('admin')
  @Idempotent()
  @Returns(PolicyAssociationResponse, { status: 201 })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreatePolicyAssociationRequest,
  ): Promise<PolicyAssociationResponse> {
    return toPolicyAssociationResponse(await this.associations.create(caller, body));
  }

  @Get('associations/:association_id')
  @Summary('Returns an association.')
  @RequireScope('agents:read')
  @Returns(PolicyAssociationResponse)
  async read(@CurrentCaller() caller: Caller, @Param('association_id') id: string): Promise<PolicyAssociationResponse> {
    return toPolicyAssociationResponse(await this.associations.read(caller, id));
  }

  @Patch('associations/:association_id')
  @UseInterceptors(PolicyNoticeInterceptor)
  @Summary('Updates the priority of an association, or enables or disables it.')
  @RequireScope('admin')
  @Returns(PolicyAssociationResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('association_id') id: string,
    @Body() body: UpdatePolicyAssociationRequest,
  ): Promise<PolicyAssociationResponse> {
    return toPolicyAssociationResponse(await this.associations.update(caller, id, body));
  }

  @Put('associations/:association_id')
  @UseInterceptors(PolicyNoticeInterceptor)
  @Summary('Updates the given fields of an association. Same as PATCH.')
  @RequireScope('admin')
  @Returns(PolicyAssociationResponse, { description: 'Updated association' })
  async replace(
    @CurrentCaller() caller: Caller,
    @Param('association_id') id: string,
    @Body() body: UpdatePolicyAssociationRequest,
  ): Promise<PolicyAssociationResponse> {
    return this.update(caller, id, body);
  }

  @Delete('associations/:association_id')
  @Summary('Deletes an association.')
  @RequireScope('admin')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('association_id') id: string): Promise<void> {
    await this.associations.delete(caller, id);
  }

  /** Policies of the environments of the entity come first, then those of its projects, of its team, and its own. */
  @Get('resolved/:entity_type/:entity_id')
  @Summary('Lists the policies that apply to an agent, a team or an environment, in the order of evaluation.')
  @RequireScope('agents:read')
  @ReturnsList(ResolvedPolicyResponse, { maxItems: DECISION_LIMITS.policies })
  async resolve(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
  ): Promise<ResolvedPolicyResponse[]> {
    const policies = await this.resolution.resolve(caller, parseEntityType(entityType, ENTITY_TYPES), entityId);
    return policies.map(toResolvedPolicyResponse);
  }
}
