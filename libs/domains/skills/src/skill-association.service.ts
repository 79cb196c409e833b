import { Database, EntityDependent, EntityResolvers } from '@app/database';
import {
  Clock,
  getRequired,
  invalid,
  MCP_SERVER_SECRETS,
  rejectHiddenSecrets,
  type Caller,
  type EntityRef,
  type Fault,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { SkillAssociationRepository } from './skill-association.repository.js';
import {
  MAX_SKILLS_PER_ENTITY,
  type CreateSkillAssociation,
  type SkillAssociation,
  type SkillsOfEntity,
} from './skill-association.types.js';
import { DEFAULT_SKILL_TYPE, MCP_SKILL_TYPE } from './skill-definitions.js';
import { skillAssociated, skillNotAssociated, skillNotFound, tooManySkills } from './skill.errors.js';
import type { SkillSummary } from './skill.types.js';

/** Types of skills that every worker supports: texts for the prompt, and MCP servers. */
const WITHOUT_TOOLS: readonly string[] = [DEFAULT_SKILL_TYPE, MCP_SKILL_TYPE];

/** The skills of entities. `skill_ids` of an entity and its associations are the same rows. */
@Injectable()
export class SkillAssociationService extends EntityDependent {
  constructor(
    private readonly associations: SkillAssociationRepository,
    private readonly entities: EntityResolvers,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** Returns the skills of the entities of one kind; every entity has an entry. */
  async byEntityIds(scope: Scope, kind: string, ids: readonly string[]): Promise<ReadonlyMap<string, SkillsOfEntity>> {
    const skills = new Map<string, SkillSummary[]>(ids.map((id) => [id, []]));
    if (ids.length === 0) return skills;
    for (const { entity_id, ...skill } of await this.associations.findSummaries(scope, kind, ids)) {
      getRequired(skills, entity_id).push(skill);
    }
    return skills;
  }

  /** Returns the associations of several entities, in the order of each entity. Runs one statement. */
  async byEntities(scope: Scope, entities: readonly EntityRef[]): Promise<readonly SkillAssociation[]> {
    return entities.length === 0 ? [] : this.associations.findByEntities(scope, entities);
  }

  /**
   * Returns the types of the enabled skills of the entities, each once, without types that need no tool of the worker.
   * Runs one statement.
   */
  async toolTypesOf(scope: Scope, entities: readonly EntityRef[]): Promise<readonly string[]> {
    const skills = (await this.byEntities(scope, entities)).filter(({ skill }) => skill.enabled);
    return [...new Set(skills.map(({ skill }) => skill.type))].filter((type) => !WITHOUT_TOOLS.includes(type));
  }

  /** Returns false only if no entity of the organization has a skill, so that runs need no further look-ups. */
  async any(scope: Scope): Promise<boolean> {
    return this.associations.any(scope);
  }

  /** Returns the id of an entity. Throws `not_found` for an unknown kind or entity. */
  async resolveId(scope: Scope, kind: string, idOrName: string): Promise<string> {
    return this.entities.skillHolder(kind).resolveId(scope, idOrName);
  }

  /** Returns the associations of an entity. Throws `not_found` for an unknown kind or entity. */
  async list(scope: Scope, kind: string, idOrName: string): Promise<readonly SkillAssociation[]> {
    const holder = this.entities.skillHolder(kind);
    const entity_id = await holder.resolveId(scope, idOrName);
    return this.associations.findByEntities(scope, [{ entity_type: holder.kind, entity_id }]);
  }

  /** Appends a skill. Throws `not_found` for an unknown entity or skill, `conflict` if the entity has the skill. */
  async add(
    caller: Caller,
    kind: string,
    idOrName: string,
    request: CreateSkillAssociation,
  ): Promise<SkillAssociation> {
    const { skill_id, configuration_override = {} } = request;
    const holder = this.entities.skillHolder(kind);
    rejectHiddenSecrets(MCP_SERVER_SECRETS, configuration_override, ['configuration_override']);
    return this.database.transaction(async () => {
      const entity = { entity_type: holder.kind, entity_id: await holder.markUpdated(caller, idOrName) };
      if (!(await this.associations.lockExisting(caller, [skill_id])).has(skill_id)) throw skillNotFound();
      const count = await this.associations.count(caller, entity);
      const at = this.clock.now();
      if (!(await this.associations.append(caller, entity, skill_id, configuration_override, at))) {
        throw skillAssociated();
      }
      if (count >= MAX_SKILLS_PER_ENTITY) throw tooManySkills(MAX_SKILLS_PER_ENTITY);
      const added = (await this.associations.findByEntities(caller, [entity])).find(
        ({ skill }) => skill.id === skill_id,
      );
      if (added === undefined) throw skillNotFound();
      return added;
    });
  }

  /** Throws `not_found` for an unknown entity, or if it does not have the skill. */
  async remove(caller: Caller, kind: string, idOrName: string, skillId: string): Promise<void> {
    const holder = this.entities.skillHolder(kind);
    await this.database.transaction(async () => {
      const entity = { entity_type: holder.kind, entity_id: await holder.markUpdated(caller, idOrName) };
      if (!(await this.associations.remove(caller, entity, skillId))) throw skillNotAssociated();
    });
  }

  /**
   * Writes an entity and replaces its skills with `skillIds`, in this order, in one transaction; undefined keeps them.
   * Throws `invalid` that names the index of each unknown or repeated id.
   */
  async replaceWith<T>(
    scope: Scope,
    entity: EntityRef,
    skillIds: readonly string[] | undefined,
    write: () => Promise<T>,
  ): Promise<T> {
    if (skillIds === undefined) return write();
    return this.database.transaction(async () => {
      const written = await write();
      await this.replace(scope, entity, skillIds);
      return written;
    });
  }

  override async removeOf(scope: Scope, entity: EntityRef): Promise<void> {
    await this.associations.removeAll(scope, entity);
  }

  private async replace(scope: Scope, entity: EntityRef, skillIds: readonly string[]): Promise<void> {
    const existing = skillIds.length === 0 ? new Set<string>() : await this.associations.lockExisting(scope, skillIds);
    const faults = skillIds.flatMap((id, index) => faultOf(skillIds, id, index, existing));
    if (faults.length > 0) throw invalid(faults);
    await this.associations.replace(scope, entity, skillIds, this.clock.now());
  }
}

function faultOf(ids: readonly string[], id: string, index: number, existing: ReadonlySet<string>): Fault[] {
  const path = ['skill_ids', String(index)];
  if (!existing.has(id)) return [{ path, msg: 'Skill not found', type: 'value_error' }];
  if (ids.indexOf(id) < index) return [{ path, msg: 'The list contains this skill already', type: 'value_error' }];
  return [];
}
