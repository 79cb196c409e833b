import { InheritanceService } from '@app/entity-contexts';
import { CurrentCaller, MAX_PAGE_SIZE, RequireScope, ReturnsList, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { SkillAssociationService } from '@app/skills';
import { Controller, Get, HttpCode, Param } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { mayWriteAgents } from '../agents/agent.presenter.js';
import { Deprecated, RedirectToSuccessor, type SetSuccessor } from './redirect-to-successor.js';
import { ResolvedSkillResponse } from './dto/skill.response.dto.js';
import { toResolvedSkillResponse } from './skill.mapper.js';

@ApiTags('skills')
@Controller('api/v1/skills/associations')
export class ResolvedSkillsController {
  constructor(
    private readonly inheritance: InheritanceService,
    private readonly associations: SkillAssociationService,
  ) {}

  /**
   * Of skills with the same name, returns that of the last layer. Order: environments of the agent, its team,
   * environments of the team, the agent.
   */
  @Get(':entity_type/:entity_id/skills/resolved')
  @Summary('Lists the skills of an agent or a team with those that it inherits.')
  @RequireScope('agents:read')
  @ReturnsList(ResolvedSkillResponse, { maxItems: MAX_PAGE_SIZE })
  async resolve(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
  ): Promise<ResolvedSkillResponse[]> {
    return (await this.inheritance.resolvedSkills(caller, entityType, entityId)).map((skill) =>
      toResolvedSkillResponse(skill, mayWriteAgents(caller)),
    );
  }

  @Get('teams/:team_id/toolsets/resolved')
  @Summary('Redirects to the resolved skills of a team.')
  @ApiOperation({ deprecated: true })
  @RequireScope('agents:read')
  @HttpCode(307)
  @Deprecated('@1793491200', 'Sat, 01 Jan 2028 00:00:00 GMT')
  @ReturnsList(ResolvedSkillResponse, { maxItems: MAX_PAGE_SIZE })
  @ApiResponse({ status: 307, description: 'The resolved skills of the team, in `Location` and `Link`' })
  async redirect(
    @CurrentCaller() caller: Caller,
    @Param('team_id') teamId: string,
    @RedirectToSuccessor() redirectTo: SetSuccessor,
  ): Promise<void> {
    const id = await this.associations.resolveId(caller, 'team', teamId);
    redirectTo(`/api/v1/skills/associations/teams/${encodeURIComponent(id)}/skills/resolved`);
  }
}
