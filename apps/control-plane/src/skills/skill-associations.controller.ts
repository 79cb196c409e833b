import { CurrentCaller, Idempotent, RequireScope, Returns, ReturnsNoContent, ReturnsList, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { MAX_SKILLS_PER_ENTITY, SkillAssociationService } from '@app/skills';
import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { mayWriteAgents } from '../agents/agent.presenter.js';
import { AssociateSkillRequest } from './dto/skill.request.dto.js';
import { SkillAssociationResponse } from './dto/skill.response.dto.js';
import { toSkillAssociationResponse } from './skill.mapper.js';

/** `:entity_type` is `agents`, `teams` or `environments`, or their singular. */
@ApiTags('skills')
@Controller('api/v1/skills/associations/:entity_type/:entity_id/skills')
export class SkillAssociationsController {
  constructor(private readonly associations: SkillAssociationService) {}

  @Get()
  @Summary('Lists the skills of an agent, a team or an environment, in their order.')
  @RequireScope('agents:read')
  @ReturnsList(SkillAssociationResponse, { maxItems: MAX_SKILLS_PER_ENTITY })
  async list(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
  ): Promise<SkillAssociationResponse[]> {
    return (await this.associations.list(caller, entityType, entityId)).map((association) =>
      toSkillAssociationResponse(association, mayWriteAgents(caller)),
    );
  }

  @Post()
  @Summary('Adds a skill to an agent, a team or an environment.')
  @RequireScope('agents:write')
  @Idempotent()
  @Returns(SkillAssociationResponse, { status: 201 })
  async add(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
    @Body() body: AssociateSkillRequest,
  ): Promise<SkillAssociationResponse> {
    const added = await this.associations.add(caller, entityType, entityId, body);
    return toSkillAssociationResponse(added, mayWriteAgents(caller));
  }

  @Delete(':skill_id')
  @Summary('Removes a skill from an agent, a team or an environment.')
  @RequireScope('agents:write')
  @ReturnsNoContent()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
    @Param('skill_id') skillId: string,
  ): Promise<void> {
    await this.associations.remove(caller, entityType, entityId, skillId);
  }
}
