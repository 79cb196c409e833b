import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PolicyType } from './policy.types.js';

/** No foreign key: the history of a policy outlives it, because decisions made by it can be asked for later. */
@Entity('policy_versions')
export class PolicyVersionEntity {
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
