import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StoredFile } from './execution-file.types.js';

@Entity('execution_files')
export class ExecutionFileEntity implements StoredFile {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_files' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_files' })
  execution_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_execution_files' })
  name!: string;

  @Column({ type: 'integer' })
  size!: number;

  @Column({ type: 'text' })
  content_type!: string;

  @Column({ type: 'bytea' })
  content!: Uint8Array;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
