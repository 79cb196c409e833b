import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A part of a job's counters; the sum over its slots is what the executions table says. */
@Entity('execution_counts')
export class ExecutionCountsEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_counts' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_counts' })
  job_id!: string;

  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'pk_execution_counts' })
  slot!: number;

  @Column({ type: 'integer' })
  total!: number;

  @Column({ type: 'integer' })
  successful!: number;

  @Column({ type: 'integer' })
  failed!: number;

  @Column({ type: 'integer' })
  cancelled!: number;
}
