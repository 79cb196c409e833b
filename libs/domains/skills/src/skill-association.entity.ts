import type { JsonObject } from '@app/kernel';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { StoredSkillAssociation } from './skill-association.types.js';
import { SkillEntity } from './skill.entity.js';

const PRIMARY_KEY = { type: 'text', primaryKeyConstraintName: 'pk_skill_associations' } as const;

@Entity('skill_associations')
@Index('ix_skill_associations_skill_id', ['skill_id'])
export class SkillAssociationEntity implements StoredSkillAssociation {
  @PrimaryColumn(PRIMARY_KEY)
  organization_id!: string;

  @PrimaryColumn(PRIMARY_KEY)
  entity_type!: string;

  @PrimaryColumn(PRIMARY_KEY)
  entity_id!: string;

  @ForeignKey(() => SkillEntity, { name: 'fk_skill_associations_skill_id' })
  @PrimaryColumn(PRIMARY_KEY)
  skill_id!: string;

  @Column({ type: 'integer' })
  position!: number;

  @Column({ type: 'json' })
  configuration_override!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
