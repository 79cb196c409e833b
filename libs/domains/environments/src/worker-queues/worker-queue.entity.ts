import { Searchable } from '@app/database';
import type { JsonObject } from '@app/kernel';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { EnvironmentEntity } from '../environments/environment.entity.js';
import type { StoredWorkerQueue, WorkerQueueStatus } from './worker-queue.types.js';

@Entity('worker_queues')
@Searchable({ kind: 'worker_queue', scope: 'runners:read', detail: 'named.description', status: 'named.status' })
@Unique('uq_worker_queues_environment_id_name', ['environment_id', 'name'])
@Index('ix_worker_queues_organization_id_created_at', ['organization_id', 'created_at'])
@Index('ix_worker_queues_organization_id_length_of_name', { synchronize: false })
export class WorkerQueueEntity implements StoredWorkerQueue {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_worker_queues' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @ForeignKey(() => EnvironmentEntity, { name: 'fk_worker_queues_environment_id' })
  @Column({ type: 'text' })
  environment_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  display_name!: string;

  @Column({ type: 'text' })
  description!: string;

  @Column({ type: 'text' })
  status!: WorkerQueueStatus;

  @Column({ type: 'integer', nullable: true })
  max_workers!: number | null;

  @Column({ type: 'integer' })
  heartbeat_interval!: number;

  @Column({ type: 'text', array: true })
  tags!: string[];

  @Column({ type: 'json' })
  settings!: JsonObject;

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
