import { listsWord, namedPlace, Searchable, Uses } from '@app/database';
import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Integration } from './integration.types.js';

@Entity('integrations')
@Searchable({ kind: 'integration', scope: 'integrations:read', detail: 'named.description' })
@Uses({ place: namedPlace('integration'), names: { secret: [listsWord('used.secret_names')] } })
@Unique('uq_integrations_organization_id_name', ['organization_id', 'name'])
@Index('ix_integrations_organization_id_created_at', ['organization_id', 'created_at'])
export class IntegrationEntity implements Integration {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_integrations' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'json' })
  configuration!: JsonObject;

  @Column({ type: 'text', array: true })
  secret_names!: string[];

  @Column({ type: 'text', array: true })
  tags!: string[];

  @Column({ type: 'json' })
  metadata!: JsonObject;

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
