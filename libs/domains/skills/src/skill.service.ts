import { Database, EntityResolvers } from '@app/database';
import {
  Clock,
  mayHideSecrets,
  MCP_SERVER_SECRETS,
  newId,
  rejectHiddenSecrets,
  restoreSecrets,
  type EntityRef,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { SkillAssociationRepository } from './skill-association.repository.js';
import { DEFAULT_SKILL_TYPE } from './skill-definitions.js';
import { MAX_NAMED_HOLDERS, skillInUse, skillNotFound } from './skill.errors.js';
import { SkillRepository } from './skill.repository.js';
import type { CreateSkill, Skill, SkillFields, SkillFilter, UpdateSkill } from './skill.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<SkillFields, 'name'> = {
  type: DEFAULT_SKILL_TYPE,
  description: null,
  icon: null,
  enabled: true,
  configuration: {},
};

@Injectable()
export class SkillService {
  constructor(
    private readonly skills: SkillRepository,
    private readonly associations: SkillAssociationRepository,
    private readonly entities: EntityResolvers,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async create(scope: Scope, request: CreateSkill): Promise<Skill> {
    rejectHiddenSecrets(MCP_SERVER_SECRETS, request.configuration, ['configuration']);
    const now = this.clock.now();
    return this.skills.insert(scope, { ...DEFAULTS, ...request, id: newId(), created_at: now, updated_at: now });
  }

  /** Newest first. */
  async list(scope: Scope, filter: SkillFilter, page: Page): Promise<PageResult<Skill>> {
    return this.skills.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Skill> {
    const skill = await this.skills.find(scope, id);
    if (skill === undefined) throw skillNotFound();
    return skill;
  }

  /** Hidden secret values keep the stored ones, see `restoreSecrets`. */
  async update(scope: Scope, id: string, changes: UpdateSkill): Promise<Skill> {
    const updated = await this.write(scope, id, changes);
    if (updated === undefined) throw skillNotFound();
    return updated;
  }

  private async write(scope: Scope, id: string, fields: UpdateSkill): Promise<Skill | undefined> {
    const changes = { ...fields, updated_at: this.clock.now() };
    const { configuration: sent } = fields;
    if (!mayHideSecrets(sent)) return this.skills.update(scope, id, changes);
    return this.database.transaction(async () => {
      const stored = await this.skills.lock(scope, id);
      if (stored === undefined) return undefined;
      const configuration = restoreSecrets(MCP_SERVER_SECRETS, sent, stored.configuration, ['configuration']);
      return this.skills.update(scope, id, { ...changes, configuration });
    });
  }

  /** Throws a `conflict` that lists the entities with the skill. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(async () => {
      if ((await this.skills.lock(scope, id)) === undefined) throw skillNotFound();
      const { holders, total } = await this.associations.findHolders(scope, id, MAX_NAMED_HOLDERS);
      if (total > 0) throw skillInUse(await this.describe(scope, holders), total);
      await this.skills.delete(scope, id);
    });
  }

  /** The look-ups run one after the other, because they share the connection of the transaction. */
  private async describe(scope: Scope, entities: readonly EntityRef[]): Promise<string[]> {
    const descriptions: string[] = [];
    for (const { entity_type: kind, entity_id: id } of entities) {
      const name = (await this.entities.skillHolder(kind).namesOf(scope, [id])).get(id);
      descriptions.push(name === undefined ? `${kind} ${id}` : `${kind} ${name} (${id})`);
    }
    return descriptions;
  }
}
