import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { RecordKind, StoredExecutionRecord } from './task-record.types.js';

@Entity('execution_records')
@Index('ix_execution_records_organization_id_created_at', ['organization_id', 'created_at', 'kind'])
export class ExecutionRecordEntity implements StoredExecutionRecord {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_records' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_records' })
  execution_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_records' })
  kind!: RecordKind;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_records' })
  record_id!: string;

  @Column({ type: 'json' })
  record!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
