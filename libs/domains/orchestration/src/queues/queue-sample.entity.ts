import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { QueueSample } from './queue-sample.types.js';

/** The load of a queue at one time. Rows are written and read only with raw SQL. */
@Entity('worker_queue_samples')
@Index('ix_worker_queue_samples_at', ['at'])
export class QueueSampleEntity implements QueueSample {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_worker_queue_samples' })
  organization_id!: string;

  /** Empty: the sum of all queues of the organization. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_worker_queue_samples' })
  worker_queue_id!: string;

  @PrimaryColumn({ type: 'timestamptz', precision: 3, primaryKeyConstraintName: 'pk_worker_queue_samples' })
  at!: Date;

  @Column({ type: 'integer' })
  waiting!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  oldest_waiting_at!: Date | null;

  @Column({ type: 'integer' })
  running!: number;

  @Column({ type: 'integer' })
  workers!: number;
}
