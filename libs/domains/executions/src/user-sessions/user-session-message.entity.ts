import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CopiedMessage } from './user-session.types.js';

@Entity('user_session_messages')
export class UserSessionMessageEntity implements CopiedMessage {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_user_session_messages' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_user_session_messages' })
  user_session_id!: string;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'pk_user_session_messages' })
  position!: string;

  @Column({ type: 'text', nullable: true })
  message_id!: string | null;

  @Column({ type: 'text', nullable: true })
  execution_id!: string | null;

  @Column({ type: 'json' })
  message!: JsonObject;

  @Column({ type: 'integer' })
  bytes!: number;
}
