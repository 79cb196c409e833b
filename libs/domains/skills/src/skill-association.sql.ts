import { columnsOf, type PreparedStatement } from '@app/database';
import { SkillEntity } from './skill.entity.js';

/**
 * Returns the `SkillSummary` of each skill of the entities, with `entity_id`, in the order of each entity. `$1`
 * organization, `$2` entity type, `$3` entity ids.
 */
export const FIND_SKILLS_OF_ENTITIES: PreparedStatement = {
  name: 'skills.of_entities',
  text: `
  SELECT a.entity_id, s.id, s.name, s.type, s.description, s.icon, s.enabled
  FROM skill_associations a JOIN skills s ON s.id = a.skill_id
  WHERE a.organization_id = $1 AND a.entity_type = $2 AND a.entity_id = ANY($3::text[])
  ORDER BY a.entity_id, a.position, a.skill_id`,
};

/**
 * Returns the associations of the entities, each with its skill as columns, in the order of each entity. `$1`
 * organization, `$2` and `$3` types and ids of the entities in pairs.
 */
export const FIND_ASSOCIATIONS: PreparedStatement = {
  name: 'skills.associations',
  text: `
  SELECT a.entity_type, a.entity_id, a.configuration_override, a.created_at AS associated_at,
    ${columnsOf(SkillEntity)
      .map((column) => `s.${column}`)
      .join(', ')}
  FROM skill_associations a JOIN skills s ON s.id = a.skill_id
  WHERE a.organization_id = $1 AND (a.entity_type, a.entity_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))
  ORDER BY a.entity_type, a.entity_id, a.position, a.skill_id`,
};

/** Returns in `present` whether the organization has associations. Part of every lease. `$1` organization. */
export const HAS_ASSOCIATIONS: PreparedStatement = {
  name: 'skills.any',
  text: 'SELECT EXISTS (SELECT 1 FROM skill_associations WHERE organization_id = $1) AS present',
};

/**
 * Returns the existing skills among the ids and prevents their deletion until the transaction ends. `$1` organization,
 * `$2` skill ids.
 */
export const LOCK_EXISTING_SKILLS = `
  SELECT id FROM skills WHERE organization_id = $1 AND id = ANY($2::text[]) ORDER BY id FOR KEY SHARE`;

/** Deletes the associations of an entity with other skills. `$1` to `$3` organization, type and id, `$4` skill ids. */
export const DELETE_OTHER_ASSOCIATIONS = `
  DELETE FROM skill_associations
  WHERE organization_id = $1 AND entity_type = $2 AND entity_id = $3 AND skill_id <> ALL($4::text[])`;

/**
 * Associates an entity with the skills, in the given order; an existing association keeps its override. `$1` to `$3`
 * organization, type and id of the entity, `$4` skill ids, `$5` time.
 */
export const PUT_ASSOCIATIONS = `
  INSERT INTO skill_associations
    (organization_id, entity_type, entity_id, skill_id, position, configuration_override, created_at)
  SELECT $1, $2, $3, skill_id, position, '{}'::json, $5::timestamptz
  FROM unnest($4::text[]) WITH ORDINALITY AS given (skill_id, position)
  ON CONFLICT (organization_id, entity_type, entity_id, skill_id) DO UPDATE SET position = EXCLUDED.position`;

/**
 * Appends a skill to those of an entity. Returns no row if the entity has it already. `$1` to `$3` organization, type and
 * id of the entity, `$4` skill id, `$5` override, `$6` time.
 */
export const APPEND_ASSOCIATION = `
  INSERT INTO skill_associations
    (organization_id, entity_type, entity_id, skill_id, position, configuration_override, created_at)
  SELECT $1, $2, $3, $4, coalesce(max(position), 0) + 1, $5::json, $6::timestamptz
  FROM skill_associations WHERE organization_id = $1 AND entity_type = $2 AND entity_id = $3
  ON CONFLICT (organization_id, entity_type, entity_id, skill_id) DO NOTHING
  RETURNING position`;

/**
 * Returns the first entities with a skill, oldest association first, and their number as `total`. `$1` organization,
 * `$2` skill, `$3` limit.
 */
export const FIND_HOLDERS = `
  SELECT entity_type, entity_id, (count(*) OVER ())::integer AS total FROM skill_associations
  WHERE skill_id = $2 AND organization_id = $1
  ORDER BY created_at, entity_type, entity_id LIMIT $3`;
