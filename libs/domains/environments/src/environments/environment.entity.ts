import { namedPlace, Searchable, Uses, usesOfEnvironment } from '@app/database';
import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { EnvironmentStatus, StoredEnvironment } from './environment.types.js';

@Entity('environments')
@Searchable({ kind: 'environment', scope: 'runners:read', detail: 'named.description', status: 'named.status' })
@Uses({ place: namedPlace('environment'), names: usesOfEnvironment('used.execution_environment') })
@Unique('uq_environments_organization_id_name', ['organization_id', 'name'])
@Unique('uq_environments_worker_token', ['worker_token'])
@Index('ix_environments_organization_id_created_at', ['organization_id', 'created_at'])
export class EnvironmentEntity implements StoredEnvironment {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_environments' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  display_name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text', array: true })
  tags!: string[];

  @Column({ type: 'json' })
  settings!: JsonObject;

  @Column({ type: 'json' })
  execution_environment!: JsonObject;

  @Column({ type: 'text' })
  status!: EnvironmentStatus;

  @Column({ type: 'text' })
  worker_token!: string;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  provisioned_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  error_message!: string | null;

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
