import {
  CurrentCaller,
  Idempotent,
  mapPage,
  RequireScope,
  Returns,
  ReturnsList,
  ReturnsNoContent,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { IntegrationService } from '@app/resources';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CreateIntegrationRequest,
  ListIntegrationsQuery,
  UpdateIntegrationRequest,
} from './dto/integration.request.dto.js';
import { IntegrationResponse } from './dto/integration.response.dto.js';
import { toIntegrationFilter, toIntegrationResponse } from './integration.mapper.js';

@ApiTags('integrations')
@Controller('api/v1/integrations')
export class IntegrationsController {
  constructor(private readonly integrations: IntegrationService) {}

  @Get()
  @Summary('Lists integrations, newest first.')
  @RequireScope('integrations:read')
  @ReturnsList(IntegrationResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListIntegrationsQuery,
  ): Promise<PageResult<IntegrationResponse>> {
    const page = await this.integrations.list(caller, toIntegrationFilter(query), toPage(query));
    return mapPage(page, (integration) => toIntegrationResponse(integration, caller));
  }

  @Post()
  @Summary('Creates an integration that executions can use.')
  @RequireScope('integrations:write')
  @Idempotent()
  @Returns(IntegrationResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateIntegrationRequest): Promise<IntegrationResponse> {
    return toIntegrationResponse(await this.integrations.create(caller, body), caller);
  }

  @Get(':integration_id')
  @Summary('Returns an integration.')
  @RequireScope('integrations:read')
  @Returns(IntegrationResponse)
  async read(@CurrentCaller() caller: Caller, @Param('integration_id') id: string): Promise<IntegrationResponse> {
    return toIntegrationResponse(await this.integrations.read(caller, id), caller);
  }

  @Patch(':integration_id')
  @Summary('Updates the given fields of an integration.')
  @RequireScope('integrations:write')
  @Returns(IntegrationResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('integration_id') id: string,
    @Body() body: UpdateIntegrationRequest,
  ): Promise<IntegrationResponse> {
    return toIntegrationResponse(await this.integrations.update(caller, id, body), caller);
  }

  @Delete(':integration_id')
  @Summary('Deletes an integration. Returns 409 and the references if execution environments name it.')
  @RequireScope('integrations:write')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('integration_id') id: string): Promise<void> {
    await this.integrations.delete(caller, id);
  }
}
