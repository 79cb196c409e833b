import { Database } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { SkillEntity } from './skill.entity.js';
import type { NewSkill, Skill, SkillFilter, UpdateSkill } from './skill.types.js';

@Injectable()
export class SkillRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, skill: NewSkill): Promise<Skill> {
    return this.database.insert(SkillEntity, { ...skill, organization_id: organizationId });
  }

  /** Newest first. */
  async list({ organizationId }: Scope, { name, type, enabled }: SkillFilter, page: Page): Promise<PageResult<Skill>> {
    const query = this.database
      .select(SkillEntity, 'skill', { ...withoutUndefined({ name, type, enabled }), organization_id: organizationId })
      .orderBy('skill.created_at', 'DESC');
    return this.database.listPage(query, page);
  }

  async find({ organizationId }: Scope, id: string): Promise<Skill | undefined> {
    return this.database.findOne(SkillEntity, { id, organization_id: organizationId });
  }

  /** Locks the skill, so that no entity is associated with it until the transaction ends. */
  async lock({ organizationId }: Scope, id: string): Promise<Skill | undefined> {
    return this.database.lockOne(SkillEntity, { id, organization_id: organizationId });
  }

  async update(
    { organizationId }: Scope,
    id: string,
    changes: UpdateSkill & { readonly updated_at: Date },
  ): Promise<Skill | undefined> {
    return this.database.update(SkillEntity, { id, organization_id: organizationId }, changes);
  }

  async delete({ organizationId }: Scope, id: string): Promise<void> {
    await this.database.delete(SkillEntity, { id, organization_id: organizationId });
  }
}
