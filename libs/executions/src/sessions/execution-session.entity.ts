import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('execution_sessions')
export class ExecutionSessionEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_sessions' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_sessions' })
  execution_id!: string;

  @Column({ type: 'text', nullable: true })
  session_id!: string | null;

  @Column({ type: 'text', nullable: true })
  user_id!: string | null;

  @Column({ type: 'json' })
  messages!: readonly JsonObject[];

  /** Those of the messages that have one: inside the JSON they can not be asked for where a string holds half a character. */
  @Column({ type: 'text', array: true, default: '{}' })
  message_ids!: readonly string[];

  @Column({ type: 'json' })
  metadata!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
