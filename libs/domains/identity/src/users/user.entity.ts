import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { StoredUser, UserStatus } from './user.types.js';

@Entity('users')
@Unique('uq_users_organization_id_email_key', ['organization_id', 'email_key'])
@Index('uq_users_organization_id_service', ['organization_id'], { unique: true, where: 'service' })
@Index('ix_users_organization_id_created_at', ['organization_id', 'created_at'])
export class UserEntity implements StoredUser {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_users' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text', nullable: true })
  email!: string | null;

  @Column({ type: 'text', nullable: true })
  email_key!: string | null;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  avatar_url!: string | null;

  @Column({ type: 'text' })
  status!: UserStatus;

  @Column({ type: 'text', array: true })
  groups!: readonly string[];

  @Column({ type: 'boolean' })
  service!: boolean;

  @Column({ type: 'boolean' })
  acted!: boolean;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
