import type { JsonObject } from '@app/kernel';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { TaskRow } from './task.types.js';

/**
 * The request of a task; its status and result are those of the execution. Name and parameters are not stored in the
 * metadata of the execution, because workers may replace this metadata as a whole. A task is deleted with its
 * execution.
 */
@Entity('tasks')
@ForeignKey('ExecutionEntity', ['organization_id', 'execution_id'], ['organization_id', 'id'], {
  name: 'fk_tasks_execution_id',
  onDelete: 'CASCADE',
})
@Index('ix_tasks_organization_id_created_at', ['organization_id', 'created_at', 'execution_id'])
export class TaskEntity implements TaskRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_tasks' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_tasks' })
  execution_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  agent_id!: string;

  @Column({ type: 'json' })
  parameters!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
