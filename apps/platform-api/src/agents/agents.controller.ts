import { AgentService } from '@app/agents';
import { AnswersList, CurrentCaller, ListQuery, mapListed, RequireScope, Summary, toPage } from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { toAgentResponse } from './agent.mapper.js';
import { AgentResponse } from './dto/agent.response.dto.js';

@ApiTags('agents')
@Controller('api/v1/agents')
export class AgentsController {
  constructor(private readonly agents: AgentService) {}

  @Get()
  @Summary('Lists the agents.')
  @RequireScope('agents:read')
  @AnswersList(AgentResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListQuery): Promise<Listed<AgentResponse>> {
    return mapListed(await this.agents.list(caller, {}, toPage(query)), toAgentResponse);
  }
}
