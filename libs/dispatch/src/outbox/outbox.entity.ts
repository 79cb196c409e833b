import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A message that still has to be handed on. Its row goes when its handler succeeded. */
@Entity('outbox')
@Index('ix_outbox_next_attempt_at', ['next_attempt_at'])
export class OutboxEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_outbox' })
  id!: string;

  @Column({ type: 'text' })
  topic!: string;

  @Column({ type: 'json' })
  payload!: object;

  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;

  /** Times a sweeper took it up. */
  @Column({ type: 'integer' })
  attempts!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  next_attempt_at!: Date;
}
