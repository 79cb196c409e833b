import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TeamStatus } from './team.types.js';

@Entity('teams')
@Index('ix_teams_organization_id_created_at', ['organization_id', 'created_at'])
export class TeamEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_teams' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text' })
  status!: TeamStatus;

  @Column({ type: 'json' })
  configuration!: JsonObject;

  @Column({ type: 'text', nullable: true })
  runtime!: string | null;

  @Column({ type: 'text', array: true })
  skill_ids!: string[];

  @Column({ type: 'json' })
  execution_environment!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
