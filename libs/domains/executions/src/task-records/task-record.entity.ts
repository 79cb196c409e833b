import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { StoredTaskRecord } from './task-record.types.js';

@Entity('task_records')
@Unique('uq_task_records_id', ['id'])
@Index('ix_task_records_organization_id_task_id', ['organization_id', 'task_id'])
@Index('ix_task_records_organization_id_created_at', ['organization_id', 'created_at', 'status'])
export class TaskRecordEntity implements StoredTaskRecord {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_task_records' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_task_records' })
  execution_id!: string;

  /** The worker's own id of the task. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_task_records' })
  task_id!: string;

  @Column({ type: 'text' })
  id!: string;

  @Column({ type: 'integer', nullable: true })
  task_number!: number | null;

  @Column({ type: 'text', nullable: true })
  task_description!: string | null;

  @Column({ type: 'text', nullable: true })
  task_type!: string | null;

  @Column({ type: 'text' })
  status!: string;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  started_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  completed_at!: Date | null;

  @Column({ type: 'double precision', nullable: true })
  duration_ms!: number | null;

  @Column({ type: 'text', nullable: true })
  result!: string | null;

  @Column({ type: 'text', nullable: true })
  error_message!: string | null;

  @Column({ type: 'json' })
  metadata!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
