import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StoredMessage } from './session.types.js';

@Entity('execution_messages')
export class ExecutionMessageEntity implements StoredMessage {
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
}
