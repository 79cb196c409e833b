import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A message sent into a running execution. */
@Entity('execution_messages')
export class ExecutionMessageEntity {
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
