import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * What was asked for. How it goes is the execution's matter. Workers may replace an execution's metadata as a whole, so
 * name and parameters are kept here.
 */
@Entity('tasks')
@Index('ix_tasks_organization_id_created_at', ['organization_id', 'created_at', 'execution_id'])
export class TaskEntity {
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
