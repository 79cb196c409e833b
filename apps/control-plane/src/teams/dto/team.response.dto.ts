import { ResponseList, ResponseObject, ResponseString, ResponseStringList, ResponseTime } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { TEAM_STATUSES } from '@app/teams';
import { ProjectSummaryResponse } from '../../projects/dto/project-summary.dto.js';
import { AgentResponse } from '../../agents/dto/agent.response.dto.js';
import { SkillSummaryResponse } from '../../skills/dto/skill.response.dto.js';

export class TeamResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseString({
    enum: TEAM_STATUSES,
    description: 'Status, set by clients: `active` (default), `inactive`, `archived` or `idle`',
  })
  readonly status!: string;

  @ResponseObject({
    description: 'Configuration as sent; see `TeamConfiguration`. `instructions` defaults to an empty string',
  })
  readonly configuration!: JsonObject;

  @ResponseList(AgentResponse, {
    description:
      'Members: the agents with the `team_id` of this team and those in `configuration.member_ids`, each once, oldest first',
  })
  readonly agents!: readonly AgentResponse[];

  @ResponseString({
    nullable: true,
    description: 'Runtime id of the team leader, `default` or `<vendor>_code`; null for the default runtime',
  })
  readonly runtime!: string | null;

  @ResponseStringList({
    description: 'Ids or names of the environments of the team itself; its runs also use those of its members',
  })
  readonly environment_ids!: readonly string[];

  @ResponseList(ProjectSummaryResponse, {
    description: 'Projects of the team, in the order in which it was added to them',
  })
  readonly projects!: readonly ProjectSummaryResponse[];

  @ResponseStringList({ description: 'Ids of the skills of the team' })
  readonly skill_ids!: readonly string[];

  @ResponseList(SkillSummaryResponse, { description: 'Skills of the team' })
  readonly skills!: readonly SkillSummaryResponse[];

  @ResponseObject()
  readonly execution_environment!: JsonObject;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}
