import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IS_FINAL, IS_OPEN } from './execution-state.sql.js';
import type { ExecutionPlan } from './execution-plan.js';
import type { FixedDefinition } from '../runnables/run-definition.js';
import type { ExecutionStatus } from './execution-state.js';
import type { RetryCause } from './run-limits.js';
import type {
  EarlierUsage,
  ExecutionType,
  Participant,
  StartInput,
  StoredExecution,
  TraceOrigin,
  WorkerCommandName,
} from './execution.types.js';

/** The columns of a list's order, then of its filters, so that an index-only scan can count the list and skip rows. */
const LISTED = ['created_at', 'id', 'status', 'execution_type'];

/** The columns of the order of the turns of a session. */
const TURN = ['organization_id', 'user_id', 'session_id', 'session_turn', 'created_at', 'id'];

/** Ids are unique in an organization only, because workers may choose them. */
@Entity('executions')
@Index('ix_executions_organization_id_created_at', ['organization_id', ...LISTED])
@Index('ix_executions_organization_id_job_id', ['organization_id', 'job_id', ...LISTED], {
  where: 'job_id IS NOT NULL',
})
@Index('ix_executions_organization_id_session_id', ['organization_id', 'session_id', ...LISTED], {
  where: 'session_id IS NOT NULL',
})
@Index('ix_executions_organization_id_entity_id', ['organization_id', 'entity_id', ...LISTED])
@Index('ix_executions_waiting', ['worker_queue_id', 'queued_at'], {
  where: "status = 'pending' AND lease_expires_at IS NULL AND queued_at IS NOT NULL",
})
@Index('ix_executions_worker_queue_id_open', ['worker_queue_id'], {
  where: IS_OPEN,
})
@Index('ix_executions_created_at_ended', ['created_at'], {
  where: IS_FINAL,
})
@Index('ix_executions_organization_id_cause', ['organization_id', 'cause', 'created_at', 'id'], {
  where: "status = 'failed'",
})
@Index(
  'ix_executions_organization_id_failed',
  ['organization_id', 'completed_at', 'cause', 'entity_id', 'job_id', 'worker_queue_id'],
  { where: "status = 'failed'" },
)
@Index('ix_executions_without_cause', ['organization_id'], { where: "status = 'failed' AND cause IS NULL" })
@Index('ix_executions_organization_id_open', ['organization_id', 'started_at'], { where: IS_OPEN })
@Index('ix_executions_organization_id_completed_at', ['organization_id', 'completed_at', 'id', 'status'], {
  where: 'completed_at IS NOT NULL',
})
@Index('ix_executions_organization_id_open_created_at', ['organization_id', 'created_at', 'id', 'status'], {
  where: IS_OPEN,
})
@Index('ix_executions_organization_id_parent', ['organization_id', 'parent_execution_id', 'created_at', 'id'], {
  where: 'parent_execution_id IS NOT NULL',
})
@Index('ix_executions_organization_id_queued_at', ['organization_id', 'queued_at', 'id', 'status'], {
  where: `queued_at IS NOT NULL AND ${IS_OPEN}`,
})
@Index('ix_executions_organization_id_open_trace', { synchronize: false })
@Index('ix_executions_scheduled_open', ['organization_id', 'job_id'], { where: `trigger_type = 'cron' AND ${IS_OPEN}` })
@Index('ix_executions_session', TURN, { where: 'session_turn IS NOT NULL' })
@Index('ix_executions_session_open', TURN, { where: `session_turn IS NOT NULL AND ${IS_OPEN}` })
@Index('ix_executions_session_held', TURN, {
  where: `session_turn IS NOT NULL AND status = 'pending' AND lease_expires_at IS NULL AND queued_at IS NULL AND worker_queue_id IS NOT NULL`,
})
@Index('ix_executions_lease_expires_at', ['lease_expires_at'], { where: 'lease_expires_at IS NOT NULL' })
@Index('ix_executions_lease_worker_id', ['lease_worker_id'], { where: 'lease_worker_id IS NOT NULL' })
@Index('ix_executions_commands', ['organization_id', 'lease_worker_id'], { where: 'command IS NOT NULL' })
export class ExecutionEntity implements StoredExecution {
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
  cause!: string | null;

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

  @Column({ type: 'text', nullable: true })
  model!: string | null;

  @Column({ type: 'double precision', nullable: true })
  input_tokens!: number | null;

  @Column({ type: 'double precision', nullable: true })
  output_tokens!: number | null;

  @Column({ type: 'double precision', nullable: true })
  total_tokens!: number | null;

  @Column({ type: 'double precision', nullable: true })
  cost_nanos!: number | null;

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

  @Column({ type: 'json', nullable: true })
  start_input!: StartInput | null;

  @Column({ type: 'json' })
  execution_environment!: JsonObject;

  @Column({ type: 'boolean', default: false })
  may_override_environment!: boolean;

  @Column({ type: 'json', nullable: true })
  definition!: FixedDefinition | null;

  @Column({ type: 'text', array: true, nullable: true })
  callable!: readonly string[] | null;

  @Column({ type: 'json', nullable: true })
  plan!: ExecutionPlan | null;

  @Column({ type: 'json', nullable: true })
  earlier_usage!: EarlierUsage | null;

  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;

  @Column({ type: 'json', nullable: true })
  trace_origin!: TraceOrigin | null;

  @Column({ type: 'double precision', nullable: true })
  duration_ms!: number | null;

  @Column({ type: 'text', nullable: true })
  worker_queue_id!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  queued_at!: Date | null;

  @Column({ type: 'integer' })
  attempt!: number;

  @Column({ type: 'integer' })
  max_attempts!: number;

  @Column({ type: 'text', array: true, default: '{lost}' })
  retry_on!: readonly RetryCause[];

  @Column({ type: 'integer', default: 5000 })
  retry_delay_ms!: number;

  @Column({ type: 'smallint', default: 2 })
  retry_factor!: number;

  @Column({ type: 'integer', nullable: true })
  timeout_ms!: number | null;

  @Column({ type: 'integer', nullable: true })
  timeout_left_ms!: number | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  timeout_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  lease_token!: string | null;

  @Column({ type: 'text', nullable: true })
  lease_worker_id!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lease_expires_at!: Date | null;

  @Column({ type: 'integer', nullable: true })
  lease_ms!: number | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leased_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  command!: WorkerCommandName | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  command_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  session_id!: string | null;

  @Column({ type: 'integer', nullable: true })
  session_turn!: number | null;
}
