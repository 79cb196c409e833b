import {
  CurrentCaller,
  Idempotent,
  LargeBody,
  mapPage,
  RequireScope,
  Returns,
  ReturnsList,
  ReturnsNoContent,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { KnowledgeService } from '@app/resources';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateKnowledgeRequest, ListKnowledgeQuery, UpdateKnowledgeRequest } from './dto/knowledge.request.dto.js';
import { KnowledgeResponse, KnowledgeSummaryResponse } from './dto/knowledge.response.dto.js';
import { toKnowledgeFilter, toKnowledgeResponse, toKnowledgeSummaryResponse } from './knowledge.mapper.js';

@ApiTags('knowledge')
@Controller('api/v1/knowledge')
export class KnowledgeController {
  constructor(private readonly knowledge: KnowledgeService) {}

  @Get()
  @Summary('Lists knowledge entries without their contents, newest first, or the best matches of a search first.')
  @RequireScope('knowledge:read')
  @ReturnsList(KnowledgeSummaryResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListKnowledgeQuery,
  ): Promise<PageResult<KnowledgeSummaryResponse>> {
    const page = await this.knowledge.list(caller, toKnowledgeFilter(query), toPage(query));
    return mapPage(page, toKnowledgeSummaryResponse);
  }

  @Post()
  @Summary('Creates a knowledge entry.')
  @RequireScope('knowledge:write')
  @Idempotent()
  @LargeBody()
  @Returns(KnowledgeResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateKnowledgeRequest): Promise<KnowledgeResponse> {
    return toKnowledgeResponse(await this.knowledge.create(caller, body));
  }

  @Get(':knowledge_id')
  @Summary('Returns a knowledge entry with its content.')
  @RequireScope('knowledge:read')
  @Returns(KnowledgeResponse)
  async read(@CurrentCaller() caller: Caller, @Param('knowledge_id') id: string): Promise<KnowledgeResponse> {
    return toKnowledgeResponse(await this.knowledge.read(caller, id));
  }

  @Patch(':knowledge_id')
  @Summary('Updates the given fields of a knowledge entry.')
  @RequireScope('knowledge:write')
  @LargeBody()
  @Returns(KnowledgeResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('knowledge_id') id: string,
    @Body() body: UpdateKnowledgeRequest,
  ): Promise<KnowledgeResponse> {
    return toKnowledgeResponse(await this.knowledge.update(caller, id, body));
  }

  @Delete(':knowledge_id')
  @Summary('Deletes a knowledge entry. Returns 409 and the references if contexts or teams name it.')
  @RequireScope('knowledge:write')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('knowledge_id') id: string): Promise<void> {
    await this.knowledge.delete(caller, id);
  }
}
