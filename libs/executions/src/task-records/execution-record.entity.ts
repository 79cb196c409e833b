import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A tool call or a turn, as the worker reported it. */
@Entity('execution_records')
export class ExecutionRecordEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_records' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_records' })
  execution_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_records' })
  kind!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_records' })
  record_id!: string;

  @Column({ type: 'json' })
  record!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
