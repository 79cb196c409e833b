import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StepStatus, StoredStep } from './execution-step.types.js';

@Entity('execution_steps')
export class ExecutionStepEntity implements StoredStep {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_steps' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_steps' })
  execution_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_steps' })
  name!: string;

  @Column({ type: 'text' })
  status!: StepStatus;

  @Column({ type: 'integer' })
  attempt!: number;

  @Column({ type: 'text', nullable: true })
  output!: string | null;

  @Column({ type: 'text', nullable: true })
  error_message!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  started_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  completed_at!: Date | null;

  @Column({ type: 'double precision', nullable: true })
  duration_ms!: number | null;

  @Column({ type: 'json' })
  usage!: JsonObject;
}
