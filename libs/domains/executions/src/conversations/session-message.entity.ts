import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { StoredMessage } from './session.types.js';

@Entity('session_messages')
@Index('ix_session_messages_message_id', ['organization_id', 'execution_id', 'message_id'], {
  where: 'message_id IS NOT NULL',
})
export class SessionMessageEntity implements StoredMessage {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_session_messages' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_session_messages' })
  execution_id!: string;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'pk_session_messages' })
  position!: string;

  @Column({ type: 'text', nullable: true })
  message_id!: string | null;

  @Column({ type: 'json' })
  message!: JsonObject;

  @Column({ type: 'integer' })
  bytes!: number;
}
