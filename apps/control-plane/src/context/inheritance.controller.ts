import { InheritanceService, InheritedVariablesService } from '@app/entity-contexts';
import { CurrentCaller, RequireScope, Returns, Summary } from '@app/http';
import { grants, type Caller } from '@app/kernel';
import { Controller, Get, HttpCode, Param } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { toResolvedContextResponse } from './context.mapper.js';
import { ResolvedContextResponse } from './dto/context.dto.js';

/** The context and the variables of agents and teams, including those that they inherit. */
@ApiTags('context')
@Controller('api/v1')
export class InheritanceController {
  constructor(
    private readonly inheritance: InheritanceService,
    private readonly inheritedVariables: InheritedVariablesService,
  ) {}

  @Get('agents/:agent_id/context/resolved')
  @Summary('Returns the context of an agent with that of its environments, team and projects.')
  @RequireScope('agents:read')
  @Returns(ResolvedContextResponse)
  async context(@CurrentCaller() caller: Caller, @Param('agent_id') id: string): Promise<ResolvedContextResponse> {
    return toResolvedContextResponse(await this.inheritance.context(caller, 'agent', id));
  }

  /** Later layers override earlier ones, in this order: the environments, the projects, the team, the entity. */
  @Get('execution-environment/:entity_type/:entity_id/resolved')
  @Summary('Returns the environment variables that runs of an agent or a team inherit, without those of integrations.')
  @RequireScope('agents:read')
  @HttpCode(200)
  @ApiResponse({
    status: 200,
    description:
      'Values by name; those of secret variables are `***` without the scopes `agents:write` and `runners:manage`',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
  })
  async variables(
    @CurrentCaller() caller: Caller,
    @Param('entity_type') entityType: string,
    @Param('entity_id') entityId: string,
  ): Promise<Readonly<Record<string, string>>> {
    // The variables come from agents, teams and projects, and from environments.
    const mayWriteAll = grants(caller, 'agents:write') && grants(caller, 'runners:manage');
    return this.inheritedVariables.resolve(caller, entityType, entityId, mayWriteAll);
  }
}
