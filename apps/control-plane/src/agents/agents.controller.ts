import { AgentService } from '@app/agents';
import {
  CommitsWithResponse,
  Returns,
  RevisedResource,
  ReturnsList,
  CurrentCaller,
  DeletedResponse,
  Idempotent,
  NaturallyIdempotent,
  Notify,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { RequestedRunService } from '@app/orchestration';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { StartedExecutionResponse } from '../executions/dto/started-execution.response.dto.js';
import { RunPreviewResponse } from '../executions/dto/run-preview.response.dto.js';
import { toRunPreviewResponse } from '../executions/run-preview.mapper.js';
import { toStartedExecutionResponse } from '../executions/started-execution.mapper.js';
import { ModelNoticeInterceptor } from '../models/model-notice.interceptor.js';
import { RuntimeNoticeInterceptor } from '../runtimes/runtime-notice.interceptor.js';
import { notifyIdleMultitask } from '../sessions/multitask-notice.js';
import { toAgentFilter } from './agent.mapper.js';
import { AgentPresenter } from './agent.presenter.js';
import {
  CreateAgentRequest,
  ExecuteAgentRequest,
  ListAgentsQuery,
  UpdateAgentRequest,
} from './dto/agent.request.dto.js';
import { AgentResponse } from './dto/agent.response.dto.js';

@ApiTags('agents')
@Controller('api/v1/agents')
@RevisedResource('agent')
export class AgentsController {
  constructor(
    private readonly agents: AgentService,
    private readonly runs: RequestedRunService,
    private readonly presenter: AgentPresenter,
  ) {}

  @Get()
  @Summary('Lists agents, newest first.')
  @RequireScope('agents:read')
  @ReturnsList(AgentResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListAgentsQuery): Promise<PageResult<AgentResponse>> {
    return this.presenter.page(caller, await this.agents.list(caller, toAgentFilter(query), toPage(query)));
  }

  @Post()
  @Summary('Creates an agent.')
  @RequireScope('agents:write')
  @Idempotent()
  @Returns(AgentResponse, { status: 201 })
  @UseInterceptors(RuntimeNoticeInterceptor, ModelNoticeInterceptor)
  @CommitsWithResponse()
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateAgentRequest): Promise<AgentResponse> {
    return this.presenter.one(caller, await this.agents.create(caller, body));
  }

  @Get(':agent_id')
  @Summary('Returns an agent.')
  @RequireScope('agents:read')
  @Returns(AgentResponse)
  async read(@CurrentCaller() caller: Caller, @Param('agent_id') id: string): Promise<AgentResponse> {
    return this.presenter.one(caller, await this.agents.read(caller, id));
  }

  @Patch(':agent_id')
  @Summary('Updates the given fields of an agent.')
  @RequireScope('agents:write')
  @Returns(AgentResponse)
  @UseInterceptors(RuntimeNoticeInterceptor, ModelNoticeInterceptor)
  @CommitsWithResponse()
  async update(
    @CurrentCaller() caller: Caller,
    @Param('agent_id') id: string,
    @Body() body: UpdateAgentRequest,
  ): Promise<AgentResponse> {
    return this.presenter.one(caller, await this.agents.update(caller, id, body));
  }

  @Delete(':agent_id')
  @Summary('Deletes an agent.')
  @RequireScope('agents:write')
  @Returns(DeletedResponse)
  async delete(@CurrentCaller() caller: Caller, @Param('agent_id') id: string): Promise<DeletedResponse> {
    await this.agents.delete(caller, id);
    return { id, deleted: true };
  }

  @Post(':agent_id/preview')
  @Summary('Tells what the start of an execution of an agent would do. Starts and records nothing.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(RunPreviewResponse, { description: 'Prompt, queue, model and verdict of the policies' })
  async preview(
    @CurrentCaller() caller: Caller,
    @Param('agent_id') id: string,
    @Body() body: ExecuteAgentRequest,
  ): Promise<RunPreviewResponse> {
    return toRunPreviewResponse(await this.runs.preview(caller, { kind: 'agent', id }, body));
  }

  @Post(':agent_id/execute')
  @Summary('Starts an execution of an agent.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(StartedExecutionResponse)
  async execute(
    @CurrentCaller() caller: Caller,
    @Param('agent_id') id: string,
    @Body() body: ExecuteAgentRequest,
    @Notify() notify: (notice: string) => void,
  ): Promise<StartedExecutionResponse> {
    const started = await this.runs.start(caller, { kind: 'agent', id }, body);
    notifyIdleMultitask(body, started.execution, notify);
    return toStartedExecutionResponse(started);
  }
}
