import type { JsonObject } from '@app/kernel';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkerQueueEntity } from '../worker-queues/worker-queue.entity.js';
import type { StoredWorkerStatus } from './worker.types.js';

/** Heartbeats write `last_heartbeat_at` all the time; no index may contain it, so that those writes stay cheap. */
@Entity('workers')
@Index('ix_workers_worker_queue_id_connected', ['worker_queue_id'], { where: "status <> 'disconnected'" })
@Index('ix_workers_organization_id_created_at', ['organization_id', 'created_at'])
export class WorkerEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_workers' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @ForeignKey(() => WorkerQueueEntity, { name: 'fk_workers_worker_queue_id', onDelete: 'CASCADE' })
  @Column({ type: 'text' })
  worker_queue_id!: string;

  @Column({ type: 'text' })
  status!: StoredWorkerStatus;

  @Column({ type: 'text', nullable: true })
  hostname!: string | null;

  @Column({ type: 'json' })
  worker_metadata!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3 })
  last_heartbeat_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  disconnected_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  /** 32 bits, with a sign on POSIX and without one on Windows. */
  @Column({ type: 'double precision', nullable: true })
  exit_code!: number | null;

  @Column({ type: 'text', nullable: true })
  error_message!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
