import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { PolicyEntity } from '../policies/policy.entity.js';
import type { PolicyEntityType } from '../policies/policy.types.js';
import type { StoredPolicyAssociation } from './policy-association.types.js';

@Entity('policy_associations')
@Unique('uq_policy_associations_entity_policy_id', ['organization_id', 'entity_type', 'entity_id', 'policy_id'])
@Index('ix_policy_associations_policy_id', ['policy_id'])
@Index('ix_policy_associations_organization_id_created_at', ['organization_id', 'created_at'])
export class PolicyAssociationEntity implements StoredPolicyAssociation {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_policy_associations' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  entity_type!: PolicyEntityType;

  @Column({ type: 'text' })
  entity_id!: string;

  @ForeignKey(() => PolicyEntity, { name: 'fk_policy_associations_policy_id', onDelete: 'CASCADE' })
  @Column({ type: 'text' })
  policy_id!: string;

  @Column({ type: 'integer' })
  priority!: number;

  @Column({ type: 'boolean' })
  enabled!: boolean;

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
