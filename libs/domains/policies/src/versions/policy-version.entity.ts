import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PolicyType } from '../policies/policy.types.js';
import type { PolicyVersion } from './policy-version.types.js';

/** Has no foreign key to the policy, because versions are kept after its deletion for the decisions that used them. */
@Entity('policy_versions')
export class PolicyVersionEntity implements PolicyVersion {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_policy_versions' })
  policy_id!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'pk_policy_versions' })
  version!: number;

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

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
