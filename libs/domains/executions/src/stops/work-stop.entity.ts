import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A queue or a worker that receives no leases, or a job that starts no executions. A request reads their statuses, which
 * are in tables of other domains, before it leases or starts an execution; the stop applies to requests that read the
 * status before it changed. Later requests do not need it, so it expires.
 */
@Entity('work_stops')
@Index('ix_work_stops_expires_at', ['expires_at'])
export class WorkStopEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_work_stops' })
  organization_id!: string;

  /** Of the queue, worker or job. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_work_stops' })
  id!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  expires_at!: Date;
}
