export { SkillsModule } from './skills.module.js';
export { SkillService } from './skill.service.js';
export { SkillAssociationService } from './skill-association.service.js';
export { mergeSkills, type ResolvedSkill } from './skill-layers.js';
export { MCP_SKILL_TYPE, SKILL_DEFINITIONS, type SkillDefinition } from './skill-definitions.js';
export { MAX_SKILLS_PER_ENTITY, type SkillAssociation, type SkillsOfEntity } from './skill-association.types.js';
export type { CreateSkill, Skill, SkillFilter, SkillSummary, UpdateSkill } from './skill.types.js';
