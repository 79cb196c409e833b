import { Revised, Searchable } from '@app/database';
import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { PolicyType, StoredPolicy } from './policy.types.js';

@Entity('policies')
@Revised({ kind: 'policy', column: 'version' })
@Searchable({
  kind: 'policy',
  scope: 'agents:read',
  detail: 'named.description',
  status: "CASE WHEN named.enabled THEN 'enabled' ELSE 'disabled' END",
})
@Index('ix_policies_organization_id_created_at', ['organization_id', 'created_at'])
export class PolicyEntity implements StoredPolicy {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_policies' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'boolean' })
  enabled!: boolean;

  @Column({ type: 'text', array: true })
  tags!: string[];

  @Column({ type: 'text' })
  policy_type!: PolicyType;

  @Column({ type: 'text' })
  policy_content!: string;

  @Column({ type: 'json' })
  metadata!: JsonObject;

  @Column({ type: 'integer' })
  version!: number;

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'text', nullable: true })
  updated_by!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
