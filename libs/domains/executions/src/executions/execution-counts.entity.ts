import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JobCounts } from './execution.types.js';

/**
 * One slot of the counters of a job; the sum over the slots equals a count of its executions, and a single slot can be
 * negative. Only raw SQL reads and writes the table; the class declares it for the schema drift check.
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
