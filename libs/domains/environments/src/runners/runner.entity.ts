import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Runner } from './runner.types.js';

@Entity('runners')
@Unique('uq_runners_organization_id_name', ['organization_id', 'name'])
@Index('ix_runners_organization_id_created_at', ['organization_id', 'created_at'])
export class RunnerEntity implements Runner {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_runners' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'json' })
  labels!: JsonObject;

  @Column({ type: 'json' })
  configuration!: JsonObject;

  @Column({ type: 'text', array: true })
  tags!: string[];

  @Column({ type: 'json' })
  metadata!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  last_started_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
