import { EntityContextService } from '@app/entity-contexts';
import { CurrentCaller, DeletedResponse, RequireScope, Returns, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { Body, Controller, Delete, Get, Param, Put, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PolicyNoticeInterceptor } from '../policies/policy-notice.interceptor.js';
import { toContextResponse } from './context.mapper.js';
import { ContextResponse, PutContextRequest } from './dto/context.dto.js';

/** `:entity_type` is `environment`, `team`, `project` or `agent`, or their plural. An environment is also found by its name. */
@ApiTags('context')
@Controller('api/v1/context/:entity_type/:entity_id')
export class ContextController {
  constructor(private readonly contexts: EntityContextService) {}

  @Get()
  @Summary('Returns the context of an entity, without what it inherits.')
  @RequireScope('agents:read')
  @Returns(ContextResponse)
  async read(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
  ): Promise<ContextResponse> {
    return toContextResponse(await this.contexts.read(caller, entityType, entityId));
  }

  @Put()
  @UseInterceptors(PolicyNoticeInterceptor)
  @Summary('Sets the given lists of the context of an entity.')
  @RequireScope('agents:write')
  @Returns(ContextResponse)
  async put(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
    @Body() body: PutContextRequest,
  ): Promise<ContextResponse> {
    return toContextResponse(await this.contexts.put(caller, entityType, entityId, body));
  }

  @Delete()
  @Summary('Empties the context of an entity.')
  @RequireScope('agents:write')
  @Returns(DeletedResponse)
  async delete(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
  ): Promise<DeletedResponse> {
    return { id: await this.contexts.delete(caller, entityType, entityId), deleted: true };
  }
}
