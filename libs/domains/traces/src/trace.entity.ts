import type { ExecutionType } from '@app/executions';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Trace, TraceStatus } from './trace.types.js';

@Entity('traces')
@Unique('uq_traces_id', ['id'])
@Index('ix_traces_organization_id_start_ns', ['organization_id', 'start_ns'])
@Index('ix_traces_organization_id_duration_ms', ['organization_id', 'duration_ms'])
@Index('ix_traces_organization_id_service_name', ['organization_id', 'service_name', 'start_ns'])
@Index('ix_traces_organization_id_execution_id', ['organization_id', 'execution_id'], {
  where: 'execution_id IS NOT NULL',
})
@Index('ix_traces_organization_id_errors', ['organization_id', 'start_ns'], { where: 'error_count > 0' })
@Index('ix_traces_day', ['day'])
export class TraceEntity implements Trace {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_traces' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_traces' })
  trace_id!: string;

  @Column({ type: 'text' })
  id!: string;

  @Column({ type: 'date' })
  day!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  service_name!: string | null;

  @Column({ type: 'boolean' })
  named_by_root!: boolean;

  @Column({ type: 'bigint' })
  named_by_start_ns!: string;

  @Column({ type: 'text' })
  named_by_span_id!: string;

  @Column({ type: 'text', nullable: true })
  execution_id!: string | null;

  @Column({ type: 'text', nullable: true })
  execution_type!: ExecutionType | null;

  @Column({ type: 'text', nullable: true })
  user_id!: string | null;

  @Column({ type: 'text', nullable: true })
  user_email!: string | null;

  @Column({ type: 'text', nullable: true })
  user_name!: string | null;

  @Column({ type: 'text', nullable: true })
  user_avatar!: string | null;

  @Column({ type: 'text' })
  status!: TraceStatus;

  @Column({ type: 'bigint' })
  start_ns!: string;

  @Column({ type: 'bigint', nullable: true })
  end_ns!: string | null;

  @Column({ type: 'bigint', nullable: true })
  duration_ms!: string | null;

  @Column({ type: 'integer' })
  span_count!: number;

  @Column({ type: 'integer' })
  error_count!: number;

  @Column({ type: 'integer' })
  open_count!: number;

  @Column({ type: 'integer' })
  root_count!: number;

  @Column({ type: 'integer' })
  root_error_count!: number;

  @Column({ type: 'bigint' })
  bytes!: string;

  @Column({ type: 'text', array: true, default: '{}' })
  models!: string[];

  @Column({ type: 'numeric', nullable: true })
  input_tokens!: string | null;

  @Column({ type: 'numeric', nullable: true })
  output_tokens!: string | null;

  @Column({ type: 'numeric', nullable: true })
  total_tokens!: string | null;

  @Column({ type: 'numeric', nullable: true })
  cost_nanos!: string | null;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
