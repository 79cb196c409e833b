import { CurrentCaller, mapPage, RequireScope, Returns, ReturnsList, Summary, toPage } from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { RunKnowledgeService } from '@app/orchestration';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { LeaseToken } from './lease-token.js';
import { SearchKnowledgeQuery } from '../knowledge/dto/knowledge.request.dto.js';
import { KnowledgeResponse, KnowledgeSummaryResponse } from '../knowledge/dto/knowledge.response.dto.js';
import { toKnowledgeResponse, toKnowledgeSummaryResponse } from '../knowledge/knowledge.mapper.js';
/** The knowledge entries in the context of an execution. The holder of its lease needs no `knowledge:read`. */
@ApiTags('executions')
@Controller('api/v1/executions/:execution_id/knowledge')
export class ExecutionKnowledgeController {
  constructor(private readonly knowledge: RunKnowledgeService) {}

  @Get()
  @Summary(
    'Lists the knowledge entries in the context of an execution without their contents, newest first, or the best matches of a search first.',
  )
  @RequireScope('tasks:execute')
  @ReturnsList(KnowledgeSummaryResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
    @Query() { q, ...window }: SearchKnowledgeQuery,
    @LeaseToken() leaseToken: string | null,
  ): Promise<PageResult<KnowledgeSummaryResponse>> {
    const page = await this.knowledge.list({ caller, executionId, leaseToken }, q, toPage(window));
    return mapPage(page, toKnowledgeSummaryResponse);
  }

  @Get(':knowledge_id')
  @Summary('Returns a knowledge entry in the context of an execution with its content.')
  @RequireScope('tasks:execute')
  @Returns(KnowledgeResponse)
  async read(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
    @Param('knowledge_id') id: string,
    @LeaseToken() leaseToken: string | null,
  ): Promise<KnowledgeResponse> {
    return toKnowledgeResponse(await this.knowledge.read({ caller, executionId, leaseToken }, id));
  }
}
