import type { KeyScope, RateLimits } from '@app/kernel';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { StoredApiKey } from './key.types.js';
import { UserEntity } from '../users/user.entity.js';

@Entity('api_keys')
@Unique('uq_api_keys_hash', ['hash'])
@Index('ix_api_keys_organization_id', ['organization_id', 'created_at'])
@Index('ix_api_keys_user_id', ['user_id'])
export class ApiKeyEntity implements StoredApiKey {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_api_keys' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text' })
  hash!: string;

  @Column({ type: 'text' })
  prefix!: string;

  @Column({ type: 'text' })
  last_four!: string;

  @Column({ type: 'text', array: true })
  scopes!: readonly KeyScope[];

  @ForeignKey(() => UserEntity, { name: 'fk_api_keys_user_id' })
  @Column({ type: 'text' })
  user_id!: string;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expires_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  superseded_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revoked_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  last_used!: Date | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'json', nullable: true })
  rate_limits!: RateLimits | null;
}
