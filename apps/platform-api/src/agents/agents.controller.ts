import { AgentService } from '@app/agents';
import {
  ReturnsList,
  CurrentCaller,
  NamedListQuery,
  mapPage,
  RequireScope,
  Summary,
  toNameFilter,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { toAgentResponse } from './agent.mapper.js';
import { AgentResponse } from './dto/agent.response.dto.js';

@ApiTags('agents')
@Controller('api/v1/agents')
export class AgentsController {
  constructor(private readonly agents: AgentService) {}

  @Get()
  @Summary('Lists agents, newest first.')
  @RequireScope('agents:read')
  @ReturnsList(AgentResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: NamedListQuery): Promise<PageResult<AgentResponse>> {
    return mapPage(await this.agents.list(caller, toNameFilter(query), toPage(query)), toAgentResponse);
  }
}
