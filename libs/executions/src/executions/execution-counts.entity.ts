import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JobCounts } from './execution.types.js';

/**
 * One slot of a job's counters; the sum over the slots equals a count of its executions. Only raw SQL reads and writes it:
 * the class declares the table for the drift check.
 */
@Entity('execution_counts')
export class ExecutionCountsEntity implements Omit<JobCounts, 'lastExecutionId' | 'lastExecutionAt'> {
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
