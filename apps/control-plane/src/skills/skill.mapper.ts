import { MCP_SERVER_SECRETS, presentSecrets, toWireTime, withoutUndefined } from '@app/kernel';
import type { ResolvedSkill, Skill, SkillAssociation, SkillDefinition, SkillFilter, SkillSummary } from '@app/skills';
import type { ListSkillsQuery } from './dto/skill.request.dto.js';
import type {
  ResolvedSkillResponse,
  SkillAssociationResponse,
  SkillDefinitionResponse,
  SkillResponse,
  SkillSummaryResponse,
} from './dto/skill.response.dto.js';

export function toSkillSummaryResponse(skill: SkillSummary): SkillSummaryResponse {
  return {
    id: skill.id,
    name: skill.name,
    type: skill.type,
    description: skill.description,
    icon: skill.icon,
    enabled: skill.enabled,
  };
}

/** `showSecrets`: whether the reader may write skills. */
export function toSkillResponse(skill: Skill, showSecrets: boolean): SkillResponse {
  return {
    ...toSkillSummaryResponse(skill),
    organization_id: skill.organization_id,
    configuration: presentSecrets(MCP_SERVER_SECRETS, skill.configuration, showSecrets),
    created_at: toWireTime(skill.created_at),
    updated_at: toWireTime(skill.updated_at),
  };
}

export function toSkillAssociationResponse(
  association: SkillAssociation,
  showSecrets: boolean,
): SkillAssociationResponse {
  const { skill, entity_type, entity_id, configuration_override, created_at } = association;
  return {
    ...toSkillResponse(skill, showSecrets),
    entity_type,
    entity_id,
    skill_id: skill.id,
    configuration_override: presentSecrets(MCP_SERVER_SECRETS, configuration_override, showSecrets),
    associated_at: toWireTime(created_at),
  };
}

export function toResolvedSkillResponse(skill: ResolvedSkill, showSecrets: boolean): ResolvedSkillResponse {
  const { source, inherited } = skill;
  const configuration = presentSecrets(MCP_SERVER_SECRETS, skill.configuration, showSecrets);
  return { ...toSkillSummaryResponse(skill), configuration, source, inherited };
}

export function toSkillDefinitionResponse(definition: SkillDefinition): SkillDefinitionResponse {
  const { type, name, description, icon, configuration_schema } = definition;
  return { type, name, description, icon, configuration_schema };
}

export function toSkillFilter({ name, type, enabled }: ListSkillsQuery): SkillFilter {
  return withoutUndefined({ name, type, enabled });
}
