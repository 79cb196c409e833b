import type { JsonObject } from '@app/kernel';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkerQueueEntity } from '../worker-queues/worker-queue.entity.js';
import type { StoredWorker, StoredWorkerStatus } from './worker.types.js';

/** Every heartbeat writes `last_heartbeat_at`. No index may contain it, so that these writes stay cheap. */
@Entity('workers')
@Index('ix_workers_worker_queue_id_awake', ['worker_queue_id'], { where: "status <> 'disconnected' AND NOT dormant" })
@Index('ix_workers_organization_id_runner_name', ['organization_id', 'runner_name'], {
  where: 'runner_name IS NOT NULL',
})
@Index('ix_workers_organization_id_created_at', ['organization_id', 'created_at'])
export class WorkerEntity implements StoredWorker {
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

  @Column({ type: 'text', nullable: true })
  runner_name!: string | null;

  @Column({ type: 'json' })
  worker_metadata!: JsonObject;

  @Column({ type: 'text', array: true, nullable: true })
  runtimes!: string[] | null;

  @Column({ type: 'text', array: true, nullable: true })
  skills!: string[] | null;

  @Column({ type: 'timestamptz', precision: 3 })
  last_heartbeat_at!: Date;

  /** Set by a periodic task some time after the worker became stale, reset by its next heartbeat. */
  @Column({ type: 'boolean', default: false })
  dormant!: boolean;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  disconnected_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  /** 32 bits: signed on POSIX, unsigned on Windows. */
  @Column({ type: 'double precision', nullable: true })
  exit_code!: number | null;

  @Column({ type: 'text', nullable: true })
  error_message!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
