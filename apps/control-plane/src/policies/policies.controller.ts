import {
  Answers,
  AnswersList,
  AnswersPage,
  CurrentCaller,
  DeletedResponse,
  Idempotent,
  ListQuery,
  mapListed,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { PolicyService, PolicyValidationService, PolicyVersionService } from '@app/policies';
import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
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
import {
  toPolicyFilter,
  toPolicyPage,
  toPolicyPageResponse,
  toPolicyResponse,
  toPolicyValidationResponse,
  toPolicyVersionResponse,
  toPolicyVersionSummaryResponse,
} from './policy.mapper.js';

@ApiTags('policies')
@Controller('api/v1/policies')
export class PoliciesController {
  constructor(
    private readonly policies: PolicyService,
    private readonly versions: PolicyVersionService,
    private readonly validations: PolicyValidationService,
  ) {}

  @Get()
  @Summary('Lists the policies, a page at a time.')
  @RequireScope('agents:read')
  @AnswersPage(PolicyPageResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListPoliciesQuery): Promise<PolicyPageResponse> {
    const page = toPolicyPage(query);
    return toPolicyPageResponse(await this.policies.list(caller, toPolicyFilter(query), page), page);
  }

  @Post()
  @Summary('Stores a policy that compiles.')
  @RequireScope('admin')
  @Idempotent()
  @Answers(PolicyResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreatePolicyRequest): Promise<PolicyResponse> {
    return toPolicyResponse(await this.policies.create(caller, body));
  }

  @Get(':policy_id')
  @Summary('Reads a policy.')
  @RequireScope('agents:read')
  @Answers(PolicyResponse)
  async read(@CurrentCaller() caller: Caller, @Param('policy_id') id: string): Promise<PolicyResponse> {
    return toPolicyResponse(await this.policies.read(caller, id));
  }

  @Put(':policy_id')
  @Summary('Changes a policy, which makes its next version.')
  @RequireScope('admin')
  @Answers(PolicyResponse, { description: 'What the body does not name stays; each update makes a version' })
  async update(
    @CurrentCaller() caller: Caller,
    @Param('policy_id') id: string,
    @Body() body: UpdatePolicyRequest,
  ): Promise<PolicyResponse> {
    return toPolicyResponse(await this.policies.update(caller, id, body));
  }

  @Patch(':policy_id')
  @Summary('Changes a policy; what the body does not name stays.')
  @RequireScope('admin')
  @Answers(PolicyResponse, { description: 'The same as PUT' })
  async change(
    @CurrentCaller() caller: Caller,
    @Param('policy_id') id: string,
    @Body() body: UpdatePolicyRequest,
  ): Promise<PolicyResponse> {
    return this.update(caller, id, body);
  }

  @Delete(':policy_id')
  @Summary('Deletes a policy and its associations.')
  @RequireScope('admin')
  @Answers(DeletedResponse, { description: 'Its associations went with it; its versions are kept' })
  async delete(@CurrentCaller() caller: Caller, @Param('policy_id') id: string): Promise<DeletedResponse> {
    await this.policies.delete(caller, id);
    return { id, deleted: true };
  }

  @Post(':policy_id/validate')
  @Summary('Checks the text of a policy and, where an input is given, tries it.')
  @RequireScope('agents:read')
  @Answers(PolicyValidationResponse, { description: 'A text that does not compile is an answer, too: its errors' })
  async validate(
    @CurrentCaller() caller: Caller,
    @Param('policy_id') id: string,
    @Body() body: ValidatePolicyRequest,
  ): Promise<PolicyValidationResponse> {
    return toPolicyValidationResponse(await this.validations.validate(caller, id, body));
  }

  @Get(':policy_id/versions')
  @Summary('Lists the versions of a policy, newest first.')
  @RequireScope('agents:read')
  @AnswersList(PolicyVersionSummaryResponse)
  async listVersions(
    @CurrentCaller() caller: Caller,
    @Param('policy_id') id: string,
    @Query() query: ListQuery,
  ): Promise<Listed<PolicyVersionSummaryResponse>> {
    return mapListed(await this.versions.list(caller, id, toPage(query)), toPolicyVersionSummaryResponse);
  }

  @Get(':policy_id/versions/:version')
  @Summary('Reads one version of a policy with its text.')
  @RequireScope('agents:read')
  @Answers(PolicyVersionResponse)
  async readVersion(
    @CurrentCaller() caller: Caller,
    @Param('policy_id') id: string,
    @Param('version') version: string,
  ): Promise<PolicyVersionResponse> {
    return toPolicyVersionResponse(await this.versions.read(caller, id, version));
  }
}
