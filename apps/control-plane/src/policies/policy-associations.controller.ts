import {
  Answers,
  AnswersList,
  AnswersNothing,
  CurrentCaller,
  Idempotent,
  mapListed,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { entityTypeOf, PolicyAssociationService, PolicyResolution } from '@app/policies';
import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CreatePolicyAssociationRequest,
  ListPolicyAssociationsQuery,
  UpdatePolicyAssociationRequest,
} from './dto/policy-association.request.dto.js';
import { PolicyAssociationResponse } from './dto/policy-association.response.dto.js';
import { ResolvedPolicyResponse } from './dto/policy.response.dto.js';
import { toPolicyAssociationFilter, toPolicyAssociationResponse, toResolvedPolicyResponse } from './policy.mapper.js';

@ApiTags('policies')
@Controller('api/v1/policies')
export class PolicyAssociationsController {
  constructor(
    private readonly associations: PolicyAssociationService,
    private readonly resolution: PolicyResolution,
  ) {}

  @Get('associations')
  @Summary('Lists which policies are associated with what.')
  @RequireScope('agents:read')
  @AnswersList(PolicyAssociationResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListPolicyAssociationsQuery,
  ): Promise<Listed<PolicyAssociationResponse>> {
    const filter = toPolicyAssociationFilter(query);
    return mapListed(await this.associations.list(caller, filter, toPage(query)), toPolicyAssociationResponse);
  }

  @Post('associations')
  @Summary('Associates a policy with an agent, a team or an environment.')
  @RequireScope('admin')
  @Idempotent()
  @Answers(PolicyAssociationResponse, { status: 201 })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreatePolicyAssociationRequest,
  ): Promise<PolicyAssociationResponse> {
    return toPolicyAssociationResponse(await this.associations.create(caller, body));
  }

  @Get('associations/:association_id')
  @Summary('Reads an association.')
  @RequireScope('agents:read')
  @Answers(PolicyAssociationResponse)
  async read(@CurrentCaller() caller: Caller, @Param('association_id') id: string): Promise<PolicyAssociationResponse> {
    return toPolicyAssociationResponse(await this.associations.read(caller, id));
  }

  @Patch('associations/:association_id')
  @Summary('Changes the priority of an association, or switches it on or off.')
  @RequireScope('admin')
  @Answers(PolicyAssociationResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('association_id') id: string,
    @Body() body: UpdatePolicyAssociationRequest,
  ): Promise<PolicyAssociationResponse> {
    return toPolicyAssociationResponse(await this.associations.update(caller, id, body));
  }

  @Put('associations/:association_id')
  @Summary('Changes an association; what the body does not name stays.')
  @RequireScope('admin')
  @Answers(PolicyAssociationResponse, { description: 'The same as PATCH' })
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
  @AnswersNothing()
  async delete(@CurrentCaller() caller: Caller, @Param('association_id') id: string): Promise<void> {
    await this.associations.delete(caller, id);
  }

  /** In order of evaluation: of its environments, of its team, its own. */
  @Get('resolved/:entity_type/:entity_id')
  @Summary('Lists the policies that apply to an agent, a team or an environment, in their order.')
  @RequireScope('agents:read')
  @AnswersList(ResolvedPolicyResponse)
  async resolve(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
  ): Promise<Listed<ResolvedPolicyResponse>> {
    const items = await this.resolution.resolve(caller, entityTypeOf(entityType), entityId);
    return mapListed({ items, total: items.length }, toResolvedPolicyResponse);
  }
}
