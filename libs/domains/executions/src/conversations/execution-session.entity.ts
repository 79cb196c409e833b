import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { StoredSession } from './session.types.js';

@Entity('execution_sessions')
@Index('ix_execution_sessions_session_id', ['organization_id', 'session_id'], { where: 'session_id IS NOT NULL' })
export class ExecutionSessionEntity implements StoredSession {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_sessions' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_sessions' })
  execution_id!: string;

  @Column({ type: 'text', nullable: true })
  session_id!: string | null;

  @Column({ type: 'text', nullable: true })
  user_id!: string | null;

  @Column({ type: 'bigint', default: 0 })
  last_position!: string;

  @Column({ type: 'integer', default: 0 })
  stored_messages!: number;

  @Column({ type: 'bigint', default: 0 })
  stored_bytes!: string;

  @Column({ type: 'json' })
  metadata!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
