import { Database } from '@app/database';
import type { EntityRef, JsonObject, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { SkillAssociationEntity } from './skill-association.entity.js';
import {
  APPEND_ASSOCIATION,
  DELETE_OTHER_ASSOCIATIONS,
  FIND_ASSOCIATIONS,
  FIND_HOLDERS,
  FIND_SKILLS_OF_ENTITIES,
  HAS_ASSOCIATIONS,
  LOCK_EXISTING_SKILLS,
  PUT_ASSOCIATIONS,
} from './skill-association.sql.js';
import type { SkillAssociation } from './skill-association.types.js';
import type { Skill, SkillSummary } from './skill.types.js';

interface AssociationRow extends EntityRef, Skill {
  readonly configuration_override: JsonObject;
  readonly associated_at: Date;
}

@Injectable()
export class SkillAssociationRepository {
  constructor(private readonly database: Database) {}

  /** Returns the skills of the entities of one kind, in the order of each entity. Throws `conflict` if they are too large. */
  async findSummaries(
    { organizationId }: Scope,
    kind: string,
    ids: readonly string[],
  ): Promise<(SkillSummary & { readonly entity_id: string })[]> {
    return this.database.boundedSet('The skills of the listed entities', FIND_SKILLS_OF_ENTITIES, [
      organizationId,
      kind,
      ids,
    ]);
  }

  /** Returns the associations of the entities, in the order of each entity. Throws `conflict` if they are too large. */
  async findByEntities({ organizationId }: Scope, entities: readonly EntityRef[]): Promise<SkillAssociation[]> {
    const rows = await this.database.boundedSet<AssociationRow>('The skills', FIND_ASSOCIATIONS, [
      organizationId,
      entities.map(({ entity_type }) => entity_type),
      entities.map(({ entity_id }) => entity_id),
    ]);
    return rows.map(({ entity_type, entity_id, configuration_override, associated_at, ...skill }) => ({
      entity_type,
      entity_id,
      configuration_override,
      created_at: associated_at,
      skill,
    }));
  }

  async any({ organizationId }: Scope): Promise<boolean> {
    const [row] = await this.database.shared<{ readonly present: boolean }>(HAS_ASSOCIATIONS, [organizationId]);
    return row?.present ?? true;
  }

  /** Returns the existing skills among the ids. They cannot be deleted until the transaction ends. */
  async lockExisting({ organizationId }: Scope, skillIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.sql<Pick<Skill, 'id'>>(LOCK_EXISTING_SKILLS, [organizationId, skillIds]);
    return new Set(rows.map(({ id }) => id));
  }

  async count({ organizationId }: Scope, { entity_type, entity_id }: EntityRef): Promise<number> {
    const where = { organization_id: organizationId, entity_type, entity_id };
    return this.database.repository(SkillAssociationEntity).countBy(where);
  }

  /** Replaces the skills of an entity. Skills that it already has keep their overrides. */
  async replace(
    { organizationId }: Scope,
    { entity_type, entity_id }: EntityRef,
    skillIds: readonly string[],
    at: Date,
  ): Promise<void> {
    const values = [organizationId, entity_type, entity_id, skillIds];
    await this.database.sql(DELETE_OTHER_ASSOCIATIONS, values);
    if (skillIds.length > 0) await this.database.sql(PUT_ASSOCIATIONS, [...values, at]);
  }

  /** Returns false if the entity has the skill already. */
  async append(
    { organizationId }: Scope,
    { entity_type, entity_id }: EntityRef,
    skillId: string,
    override: JsonObject,
    at: Date,
  ): Promise<boolean> {
    const values = [organizationId, entity_type, entity_id, skillId, JSON.stringify(override), at];
    return (await this.database.sql(APPEND_ASSOCIATION, values)).length > 0;
  }

  /** Returns false if the entity does not have the skill. */
  async remove({ organizationId }: Scope, { entity_type, entity_id }: EntityRef, skillId: string): Promise<boolean> {
    const where = { organization_id: organizationId, entity_type, entity_id, skill_id: skillId };
    return this.database.delete(SkillAssociationEntity, where);
  }

  async removeAll({ organizationId }: Scope, { entity_type, entity_id }: EntityRef): Promise<void> {
    await this.database.delete(SkillAssociationEntity, { organization_id: organizationId, entity_type, entity_id });
  }

  /** Returns the first entities that have the skill, and the number of all. */
  async findHolders(
    { organizationId }: Scope,
    skillId: string,
    limit: number,
  ): Promise<{ readonly holders: readonly EntityRef[]; readonly total: number }> {
    const rows = await this.database.sql<EntityRef & { readonly total: number }>(FIND_HOLDERS, [
      organizationId,
      skillId,
      limit,
    ]);
    return { holders: rows, total: rows[0]?.total ?? 0 };
  }
}
