import {
  CurrentCaller,
  DeletedResponse,
  Idempotent,
  ListQuery,
  mapPage,
  NaturallyIdempotent,
  RequireScope,
  Returns,
  RevisedResource,
  ReturnsList,
  ReturnsPage,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { PolicyReachService, PolicyService, PolicyValidationService, PolicyVersionService } from '@app/policies';
import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CreatePolicyRequest,
  ListPoliciesQuery,
  UpdatePolicyRequest,
  ValidatePolicyRequest,
} from './dto/policy.request.dto.js';
import {
  PolicyPageResponse,
  PolicyResponse,
  PolicyValidationResponse,
  PolicyVersionResponse,
  PolicyVersionSummaryResponse,
} from './dto/policy.response.dto.js';
import { PolicyReachResponse } from './dto/policy-reach.response.dto.js';
import {
  toPolicyFilter,
  toPolicyPage,
  toPolicyPageResponse,
  toPolicyReachResponse,
  toPolicyResponse,
  toPolicyValidationResponse,
  toPolicyVersionResponse,
  toPolicyVersionSummaryResponse,
} from './policy.mapper.js';
import { PolicyNoticeInterceptor } from './policy-notice.interceptor.js';
import { PolicyTextInterceptor } from './policy-text.interceptor.js';

@ApiTags('policies')
@Controller('api/v1/policies')
@RevisedResource('policy')
export class PoliciesController {
  constructor(
    private readonly policies: PolicyService,
    private readonly versions: PolicyVersionService,
    private readonly validations: PolicyValidationService,
    private readonly reach: PolicyReachService,
  ) {}

  @Get()
  @Summary('Lists policies in pages, newest first.')
  @RequireScope('agents:read')
  @ReturnsPage(PolicyPageResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListPoliciesQuery): Promise<PolicyPageResponse> {
    const page = toPolicyPage(query);
    return toPolicyPageResponse(await this.policies.list(caller, toPolicyFilter(query), page), page);
  }

  @Post()
  @UseInterceptors(PolicyTextInterceptor, PolicyNoticeInterceptor)
  @Summary('Creates a policy. Its source must compile.')
  @RequireScope('admin')
  @Idempotent()
  @Returns(PolicyResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreatePolicyRequest): Promise<PolicyResponse> {
    return toPolicyResponse(await this.policies.create(caller, body));
  }

  @Get(':policy_id')
  @Summary('Returns a policy.')
  @RequireScope('agents:read')
  @Returns(PolicyResponse)
  async read(@CurrentCaller() caller: Caller, @Param('policy_id') id: string): Promise<PolicyResponse> {
    return toPolicyResponse(await this.policies.read(caller, id));
  }

  @Put(':policy_id')
  @UseInterceptors(PolicyTextInterceptor, PolicyNoticeInterceptor)
  @Summary('Updates the given fields of a policy and creates its next version.')
  @RequireScope('admin')
  @Returns(PolicyResponse, { description: 'Updated policy' })
  async update(
    @CurrentCaller() caller: Caller,
    @Param('policy_id') id: string,
    @Body() body: UpdatePolicyRequest,
  ): Promise<PolicyResponse> {
    return toPolicyResponse(await this.policies.update(caller, id, body));
  }

  @Patch(':policy_id')
  @UseInterceptors(PolicyTextInterceptor, PolicyNoticeInterceptor)
  @Summary('Updates the given fields of a policy and creates its next version. Same as PUT.')
  @RequireScope('admin')
  @Returns(PolicyResponse, { description: 'Updated policy' })
  async change(
    @CurrentCaller() caller: Caller,
    @Param('policy_id') id: string,
    @Body() body: UpdatePolicyRequest,
  ): Promise<PolicyResponse> {
    return this.update(caller, id, body);
  }

  @Delete(':policy_id')
  @Summary('Deletes a policy and its associations. Its versions are kept.')
  @RequireScope('admin')
  @Returns(DeletedResponse)
  async delete(@CurrentCaller() caller: Caller, @Param('policy_id') id: string): Promise<DeletedResponse> {
    await this.policies.delete(caller, id);
    return { id, deleted: true };
  }

  @Post(':policy_id/validate')
  @Summary('Compiles the source of a policy and, with an input, evaluates it once.')
  @RequireScope('agents:read')
  @NaturallyIdempotent()
  @Returns(PolicyValidationResponse, { description: 'Result of the validation, also for source that does not compile' })
  async validate(
    @CurrentCaller() caller: Caller,
    @Param('policy_id') id: string,
    @Body() body: ValidatePolicyRequest,
  ): Promise<PolicyValidationResponse> {
    return toPolicyValidationResponse(await this.validations.validate(caller, id, body));
  }

  @Get(':policy_id/reach')
  @Summary('Returns whom a policy reaches: its associations, the agents to which it applies, and recent decisions.')
  @RequireScope('agents:read')
  @Returns(PolicyReachResponse)
  async readReach(@CurrentCaller() caller: Caller, @Param('policy_id') id: string): Promise<PolicyReachResponse> {
    return toPolicyReachResponse(await this.reach.read(caller, id));
  }

  @Get(':policy_id/versions')
  @Summary('Lists the versions of a policy, newest first.')
  @RequireScope('agents:read')
  @ReturnsList(PolicyVersionSummaryResponse)
  async listVersions(
    @CurrentCaller() caller: Caller,
    @Param('policy_id') id: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<PolicyVersionSummaryResponse>> {
    return mapPage(await this.versions.list(caller, id, toPage(query)), toPolicyVersionSummaryResponse);
  }

  @Get(':policy_id/versions/:version')
  @Summary('Returns one version of a policy with its source.')
  @RequireScope('agents:read')
  @Returns(PolicyVersionResponse)
  async readVersion(
    @CurrentCaller() caller: Caller,
    @Param('policy_id') id: string,
    @Param('version') version: string,
  ): Promise<PolicyVersionResponse> {
    return toPolicyVersionResponse(await this.versions.read(caller, id, version));
  }
}
