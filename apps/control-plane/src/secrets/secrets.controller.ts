import {
  CurrentCaller,
  Idempotent,
  NamedListQuery,
  mapPage,
  RequireScope,
  Returns,
  ReturnsList,
  ReturnsNoContent,
  Summary,
  toNameFilter,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { SecretService } from '@app/resources';
import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateSecretRequest, ReplaceSecretRequest } from './dto/secret.request.dto.js';
import { SecretResponse } from './dto/secret.response.dto.js';
import { toSecretResponse } from './secret.mapper.js';

/** Listing requires the scope for writing, because the names alone reveal where the organization has accounts. */
@ApiTags('secrets')
@Controller('api/v1/secrets')
export class SecretsController {
  constructor(private readonly secrets: SecretService) {}

  @Get()
  @Summary('Lists the names of secrets, newest first.')
  @RequireScope('integrations:write')
  @ReturnsList(SecretResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: NamedListQuery): Promise<PageResult<SecretResponse>> {
    return mapPage(await this.secrets.list(caller, toPage(query), toNameFilter(query)), toSecretResponse);
  }

  @Post()
  @Summary('Stores a secret.')
  @RequireScope('integrations:write')
  @Idempotent({ secretBody: true })
  @Returns(SecretResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateSecretRequest): Promise<SecretResponse> {
    return toSecretResponse(await this.secrets.create(caller, body.name, body.value));
  }

  @Get(':secret_name')
  @Summary('Returns a secret without its value.')
  @RequireScope('integrations:write')
  @Returns(SecretResponse)
  async read(@CurrentCaller() caller: Caller, @Param('secret_name') name: string): Promise<SecretResponse> {
    return toSecretResponse(await this.secrets.read(caller, name));
  }

  @Put(':secret_name')
  @Summary('Replaces the value of a secret.')
  @RequireScope('integrations:write')
  @Returns(SecretResponse)
  async replace(
    @CurrentCaller() caller: Caller,
    @Param('secret_name') name: string,
    @Body() body: ReplaceSecretRequest,
  ): Promise<SecretResponse> {
    return toSecretResponse(await this.secrets.replace(caller, name, body.value));
  }

  @Delete(':secret_name')
  @Summary('Deletes a secret. Returns 409 and the references if integrations or variables refer to it.')
  @RequireScope('integrations:write')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('secret_name') name: string): Promise<void> {
    await this.secrets.delete(caller, name);
  }
}
