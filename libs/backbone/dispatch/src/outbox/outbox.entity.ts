import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { StoredOutboxMessage } from './outbox.repository.js';

/** Declares the table for the schema drift check. The repository reads and writes it with raw SQL. */
@Entity('outbox')
@Index('ix_outbox_next_attempt_at', ['next_attempt_at'])
export class OutboxEntity implements StoredOutboxMessage {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_outbox' })
  id!: string;

  @Column({ type: 'text' })
  topic!: string;

  @Column({ type: 'json' })
  payload!: object;

  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;

  @Column({ type: 'text', nullable: true })
  tracestate!: string | null;

  /** The number of times a sweeper has claimed the message. */
  @Column({ type: 'integer' })
  attempts!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  next_attempt_at!: Date;
}
