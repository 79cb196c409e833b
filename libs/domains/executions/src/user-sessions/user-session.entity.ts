import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ExecutionType } from '../executions/execution.types.js';
import type { StoredUserSession } from './user-session.types.js';

@Entity('user_sessions')
@Unique('uq_user_sessions_organization_id_user_id_session_id', ['organization_id', 'user_id', 'session_id'])
@Index('ix_user_sessions_organization_id_last_activity_at', ['organization_id', 'last_activity_at', 'id'])
@Index('ix_user_sessions_organization_id_user_id', ['organization_id', 'user_id', 'last_activity_at', 'id'])
@Index('ix_user_sessions_last_activity_at', ['last_activity_at'])
export class UserSessionEntity implements StoredUserSession {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_user_sessions' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_user_sessions' })
  id!: string;

  @Column({ type: 'text' })
  user_id!: string;

  @Column({ type: 'text', nullable: true })
  user_name!: string | null;

  @Column({ type: 'text' })
  session_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  execution_type!: ExecutionType | null;

  @Column({ type: 'text', nullable: true })
  entity_id!: string | null;

  @Column({ type: 'text', nullable: true })
  entity_name!: string | null;

  @Column({ type: 'integer', default: 0 })
  turns!: number;

  @Column({ type: 'text', nullable: true })
  forked_from_id!: string | null;

  @Column({ type: 'integer', default: 0 })
  copied_messages!: number;

  @Column({ type: 'text', nullable: true })
  copied_preview!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  last_activity_at!: Date;
}
