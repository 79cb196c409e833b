import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ExecutionStatus } from './execution-state.js';
import type { ExecutionType, Participant } from './execution.types.js';
import type { WorkerCommandName } from '../leases/lease.types.js';

/** The order of a list, then what it is filtered by: it is counted and skipped through without a look at the rows. */
const LISTED = ['created_at', 'id', 'status', 'execution_type'];

/** Ids are unique in an organisation only, because workers may choose them. */
@Entity('executions')
@Index('ix_executions_organization_id_created_at', ['organization_id', ...LISTED])
@Index('ix_executions_organization_id_job_id', ['organization_id', 'job_id', ...LISTED], {
  where: 'job_id IS NOT NULL',
})
@Index('ix_executions_organization_id_entity_id', ['organization_id', 'entity_id', ...LISTED])
@Index('ix_executions_waiting', ['worker_queue_id', 'queued_at'], {
  where: "status = 'pending' AND lease_expires_at IS NULL AND queued_at IS NOT NULL",
})
@Index('ix_executions_worker_queue_id_open', ['worker_queue_id'], {
  where: "status IN ('pending', 'running', 'waiting_for_input', 'paused')",
})
@Index('ix_executions_lease_expires_at', ['lease_expires_at'], { where: 'lease_expires_at IS NOT NULL' })
@Index('ix_executions_lease_worker_id', ['lease_worker_id'], { where: 'lease_worker_id IS NOT NULL' })
export class ExecutionEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_executions' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_executions' })
  id!: string;

  @Column({ type: 'text' })
  execution_type!: ExecutionType;

  @Column({ type: 'text', nullable: true })
  entity_id!: string | null;

  @Column({ type: 'text', nullable: true })
  entity_name!: string | null;

  @Column({ type: 'text', nullable: true })
  prompt!: string | null;

  @Column({ type: 'text', nullable: true })
  system_prompt!: string | null;

  @Column({ type: 'text' })
  status!: ExecutionStatus;

  @Column({ type: 'text', nullable: true })
  response!: string | null;

  @Column({ type: 'text', nullable: true })
  error_message!: string | null;

  @Column({ type: 'text', nullable: true })
  runner_name!: string | null;

  @Column({ type: 'text', nullable: true })
  user_id!: string | null;

  @Column({ type: 'text', nullable: true })
  user_name!: string | null;

  @Column({ type: 'text', nullable: true })
  user_email!: string | null;

  @Column({ type: 'text', nullable: true })
  user_avatar!: string | null;

  @Column({ type: 'json' })
  usage!: JsonObject;

  @Column({ type: 'json' })
  execution_metadata!: JsonObject;

  @Column({ type: 'json' })
  participants!: readonly Participant[];

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  started_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  completed_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  last_message_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  last_message_preview!: string | null;

  @Column({ type: 'text', nullable: true })
  job_id!: string | null;

  @Column({ type: 'text', nullable: true })
  parent_execution_id!: string | null;

  @Column({ type: 'text', nullable: true })
  trigger_type!: string | null;

  @Column({ type: 'json' })
  trigger_metadata!: JsonObject;

  @Column({ type: 'json' })
  config!: JsonObject;

  @Column({ type: 'json' })
  execution_environment!: JsonObject;

  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;

  /** As the worker reported it. */
  @Column({ type: 'double precision', nullable: true })
  duration_ms!: number | null;

  /** Null: no platform queue delivers it, whoever made it runs it. */
  @Column({ type: 'text', nullable: true })
  worker_queue_id!: string | null;

  /** When the present attempt became ready for its queue; null while it must not be delivered. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  queued_at!: Date | null;

  @Column({ type: 'integer' })
  attempt!: number;

  @Column({ type: 'integer' })
  max_attempts!: number;

  /** The only token writes may carry. It outlives the lease where its holder finished the execution. */
  @Column({ type: 'text', nullable: true })
  lease_token!: string | null;

  /** The worker that holds the lease, or held it when somebody else ended the execution. */
  @Column({ type: 'text', nullable: true })
  lease_worker_id!: string | null;

  /** Not null if and only if a worker holds a lease. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lease_expires_at!: Date | null;

  /** How long a renewal lasts, in milliseconds. */
  @Column({ type: 'integer', nullable: true })
  lease_ms!: number | null;

  /** What the lease's worker has to be told. */
  @Column({ type: 'text', nullable: true })
  command!: WorkerCommandName | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  command_at!: Date | null;
}
