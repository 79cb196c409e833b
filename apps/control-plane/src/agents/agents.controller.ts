import { AgentRunService, AgentService } from '@app/agents';
import {
  Answers,
  AnswersList,
  CurrentCaller,
  DeletedResponse,
  Idempotent,
  mapListed,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { toAgentFilter, toAgentResponse, toStartedExecutionResponse } from './agent.mapper.js';
import {
  CreateAgentRequest,
  ExecuteAgentRequest,
  ListAgentsQuery,
  UpdateAgentRequest,
} from './dto/agent.request.dto.js';
import { AgentResponse, StartedExecutionResponse } from './dto/agent.response.dto.js';

@ApiTags('agents')
@Controller('api/v1/agents')
export class AgentsController {
  constructor(
    private readonly agents: AgentService,
    private readonly runs: AgentRunService,
  ) {}

  @Get()
  @Summary('Lists the agents.')
  @RequireScope('agents:read')
  @AnswersList(AgentResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListAgentsQuery): Promise<Listed<AgentResponse>> {
    return mapListed(await this.agents.list(caller, toAgentFilter(query), toPage(query)), toAgentResponse);
  }

  @Post()
  @Summary('Creates an agent.')
  @RequireScope('agents:write')
  @Idempotent()
  @Answers(AgentResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateAgentRequest): Promise<AgentResponse> {
    return toAgentResponse(await this.agents.create(caller, body));
  }

  @Get(':agent_id')
  @Summary('Reads an agent.')
  @RequireScope('agents:read')
  @Answers(AgentResponse)
  async read(@CurrentCaller() caller: Caller, @Param('agent_id') id: string): Promise<AgentResponse> {
    return toAgentResponse(await this.agents.read(caller, id));
  }

  @Patch(':agent_id')
  @Summary('Changes the named fields of an agent.')
  @RequireScope('agents:write')
  @Answers(AgentResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('agent_id') id: string,
    @Body() body: UpdateAgentRequest,
  ): Promise<AgentResponse> {
    return toAgentResponse(await this.agents.update(caller, id, body));
  }

  @Delete(':agent_id')
  @Summary('Deletes an agent.')
  @RequireScope('agents:write')
  @Answers(DeletedResponse)
  async delete(@CurrentCaller() caller: Caller, @Param('agent_id') id: string): Promise<DeletedResponse> {
    await this.agents.delete(caller, id);
    return { id, deleted: true };
  }

  @Post(':agent_id/execute')
  @Summary('Starts an execution of an agent.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Answers(StartedExecutionResponse)
  async execute(
    @CurrentCaller() caller: Caller,
    @Param('agent_id') id: string,
    @Body() body: ExecuteAgentRequest,
  ): Promise<StartedExecutionResponse> {
    return toStartedExecutionResponse(await this.runs.execute(caller, id, body));
  }
}
