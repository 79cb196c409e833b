import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PolicyEntityType } from '../policies/policy.types.js';
import type { PolicyResult } from '../evaluation/verdict.types.js';
import type { DecisionKind, StoredPolicyDecision } from './policy-decision.types.js';

/** Not part of the drift check: TypeORM does not support partitioned tables. */
@Entity('policy_decisions', { synchronize: false })
export class PolicyDecisionEntity implements StoredPolicyDecision {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  at!: Date;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  kind!: DecisionKind;

  @Column({ type: 'text', nullable: true })
  action!: string | null;

  @Column({ type: 'text' })
  entity_type!: PolicyEntityType;

  @Column({ type: 'text' })
  entity_id!: string;

  @Column({ type: 'boolean' })
  allowed!: boolean;

  @Column({ type: 'text', array: true })
  violations!: readonly string[];

  @Column({ type: 'json' })
  policies!: readonly PolicyResult[];

  @Column({ type: 'text', array: true })
  policy_ids!: readonly string[];

  @Column({ type: 'text' })
  input_digest!: string;

  @Column({ type: 'integer' })
  input_bytes!: number;

  @Column({ type: 'json', nullable: true })
  input!: JsonObject | null;

  @Column({ type: 'text', nullable: true })
  execution_id!: string | null;

  @Column({ type: 'text', nullable: true })
  user_id!: string | null;

  @Column({ type: 'text', nullable: true })
  user_email!: string | null;

  @Column({ type: 'text', nullable: true })
  key_id!: string | null;
}
