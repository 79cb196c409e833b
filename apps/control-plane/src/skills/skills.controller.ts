import {
  CurrentCaller,
  DeletedResponse,
  Idempotent,
  mapPage,
  RequireScope,
  Returns,
  ReturnsList,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { SKILL_DEFINITIONS, SkillService } from '@app/skills';
import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { mayWriteAgents } from '../agents/agent.presenter.js';
import { CreateSkillRequest, ListSkillsQuery, UpdateSkillRequest } from './dto/skill.request.dto.js';
import { SkillDefinitionResponse, SkillResponse } from './dto/skill.response.dto.js';
import { toSkillDefinitionResponse, toSkillFilter, toSkillResponse } from './skill.mapper.js';

@ApiTags('skills')
@Controller('api/v1/skills')
export class SkillsController {
  constructor(private readonly skills: SkillService) {}

  @Get()
  @Summary('Lists skills, newest first.')
  @RequireScope('agents:read')
  @ReturnsList(SkillResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListSkillsQuery): Promise<PageResult<SkillResponse>> {
    const page = await this.skills.list(caller, toSkillFilter(query), toPage(query));
    return mapPage(page, (skill) => toSkillResponse(skill, mayWriteAgents(caller)));
  }

  @Post()
  @Summary('Creates a skill.')
  @RequireScope('agents:write')
  @Idempotent()
  @Returns(SkillResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateSkillRequest): Promise<SkillResponse> {
    return toSkillResponse(await this.skills.create(caller, body), mayWriteAgents(caller));
  }

  @Get('definitions')
  @Summary('Lists the known types of skills with the schema of their configuration.')
  @RequireScope('agents:read')
  @ReturnsList(SkillDefinitionResponse, { maxItems: SKILL_DEFINITIONS.length })
  definitions(): SkillDefinitionResponse[] {
    return SKILL_DEFINITIONS.map(toSkillDefinitionResponse);
  }

  @Get(':skill_id')
  @Summary('Returns a skill.')
  @RequireScope('agents:read')
  @Returns(SkillResponse)
  async read(@CurrentCaller() caller: Caller, @Param('skill_id') id: string): Promise<SkillResponse> {
    return toSkillResponse(await this.skills.read(caller, id), mayWriteAgents(caller));
  }

  @Patch(':skill_id')
  @Summary('Updates the given fields of a skill.')
  @RequireScope('agents:write')
  @Returns(SkillResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('skill_id') id: string,
    @Body() body: UpdateSkillRequest,
  ): Promise<SkillResponse> {
    return toSkillResponse(await this.skills.update(caller, id, body), mayWriteAgents(caller));
  }

  @Put(':skill_id')
  @Summary('Updates the given fields of a skill. Same as PATCH.')
  @RequireScope('agents:write')
  @Returns(SkillResponse, { description: 'Updated skill' })
  async replace(
    @CurrentCaller() caller: Caller,
    @Param('skill_id') id: string,
    @Body() body: UpdateSkillRequest,
  ): Promise<SkillResponse> {
    return this.update(caller, id, body);
  }

  @Delete(':skill_id')
  @Summary('Deletes a skill that no agent, team or environment has.')
  @RequireScope('agents:write')
  @Returns(DeletedResponse)
  async delete(@CurrentCaller() caller: Caller, @Param('skill_id') id: string): Promise<DeletedResponse> {
    await this.skills.delete(caller, id);
    return { id, deleted: true };
  }
}
