import { Searchable } from '@app/database';
import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Skill } from './skill.types.js';

@Entity('skills')
@Searchable({ kind: 'skill', scope: 'agents:read', detail: 'named.description' })
@Index('ix_skills_organization_id_created_at', ['organization_id', 'created_at'])
export class SkillEntity implements Skill {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_skills' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text', nullable: true })
  icon!: string | null;

  @Column({ type: 'boolean' })
  enabled!: boolean;

  @Column({ type: 'json' })
  configuration!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
