import { toWireTime, withoutUndefined } from '@app/kernel';
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

export function toSkillResponse(skill: Skill): SkillResponse {
  return {
    ...toSkillSummaryResponse(skill),
    organization_id: skill.organization_id,
    configuration: skill.configuration,
    created_at: toWireTime(skill.created_at),
    updated_at: toWireTime(skill.updated_at),
  };
}

export function toSkillAssociationResponse(association: SkillAssociation): SkillAssociationResponse {
  const { skill, entity_type, entity_id, configuration_override, created_at } = association;
  return {
    ...toSkillResponse(skill),
    entity_type,
    entity_id,
    skill_id: skill.id,
    configuration_override,
    associated_at: toWireTime(created_at),
  };
}

export function toResolvedSkillResponse(skill: ResolvedSkill): ResolvedSkillResponse {
  const { configuration, source, inherited } = skill;
  return { ...toSkillSummaryResponse(skill), configuration, source, inherited };
}

export function toSkillDefinitionResponse(definition: SkillDefinition): SkillDefinitionResponse {
  const { type, name, description, icon, configuration_schema } = definition;
  return { type, name, description, icon, configuration_schema };
}

export function toSkillFilter({ type, enabled }: ListSkillsQuery): SkillFilter {
  return withoutUndefined({ type, enabled });
}
