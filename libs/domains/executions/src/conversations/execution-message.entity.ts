import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { SentMessageRow } from './session.types.js';

@Entity('execution_messages')
@Index('ix_execution_messages_unstored', ['organization_id', 'execution_id', 'created_at', 'message_id'], {
  where: 'NOT is_stored',
})
export class ExecutionMessageEntity implements SentMessageRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_messages' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_messages' })
  execution_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_messages' })
  message_id!: string;

  @Column({ type: 'json' })
  message!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'boolean', default: false })
  is_stored!: boolean;
}
