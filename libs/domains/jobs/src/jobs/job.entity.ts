import {
  isFirstWord,
  isWord,
  namedPlace,
  Revised,
  RevisionColumn,
  Searchable,
  Uses,
  usesOfEnvironment,
} from '@app/database';
import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ExecutorType, PlanningMode, Job, TriggerType, WebhookSignature } from './job.types.js';

/** Only enabled jobs count as uses, because disabled ones start no runs. */
const ENTITY = [`used.enabled AND ${isFirstWord('used.entity_id')}`];

@Entity('jobs')
@Revised({ kind: 'job' })
@Searchable({
  kind: 'job',
  scope: 'tasks:read',
  detail: 'named.description',
  status: "CASE WHEN named.enabled THEN 'active' ELSE 'paused' END",
  hasLongNames: true,
})
@Uses({
  place: namedPlace('job'),
  names: {
    ...usesOfEnvironment('used.execution_environment'),
    agent: ENTITY,
    environment: [`used.enabled AND used.executor_type <> 'auto' AND ${isWord('used.environment_name')}`],
    team: ENTITY,
    worker_queue: [`used.enabled AND used.executor_type = 'specific_queue' AND ${isWord('used.worker_queue_name')}`],
    workflow: ENTITY,
  },
})
@Unique('uq_jobs_webhook_token', ['webhook_token'])
@Index('ix_jobs_organization_id_created_at', ['organization_id', 'created_at'])
@Index('ix_jobs_organization_id_length_of_name', { synchronize: false })
@Index('ix_jobs_organization_id_long_name', { synchronize: false })
@Index('ix_jobs_next_execution_at', ['next_execution_at'])
@Index('ix_jobs_engine_schedule_id', ['engine_schedule_id'], { where: 'engine_schedule_id IS NOT NULL' })
export class JobEntity implements Job {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_jobs' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  trigger_type!: TriggerType;

  @Column({ type: 'text' })
  prompt_template!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'boolean' })
  enabled!: boolean;

  @Column({ type: 'text', nullable: true })
  cron_schedule!: string | null;

  @Column({ type: 'text' })
  cron_timezone!: string;

  @Column({ type: 'text' })
  planning_mode!: PlanningMode;

  @Column({ type: 'text', nullable: true })
  entity_type!: string | null;

  @Column({ type: 'text', nullable: true })
  entity_id!: string | null;

  @Column({ type: 'text', nullable: true })
  system_prompt!: string | null;

  @Column({ type: 'text' })
  executor_type!: ExecutorType;

  @Column({ type: 'text', nullable: true })
  worker_queue_name!: string | null;

  @Column({ type: 'text', nullable: true })
  environment_name!: string | null;

  @Column({ type: 'json' })
  config!: JsonObject;

  @Column({ type: 'json' })
  execution_environment!: JsonObject;

  @Column({ type: 'boolean', default: false })
  may_override_environment!: boolean;

  @Column({ type: 'text', nullable: true })
  runs_as!: string | null;

  @Column({ type: 'text', nullable: true })
  runs_as_email!: string | null;

  @Column({ type: 'text', nullable: true })
  engine_schedule_id!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  next_execution_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  webhook_token!: string | null;

  /** Stored in plain text, because verifying an HMAC needs the secret itself. */
  @Column({ type: 'text', nullable: true })
  webhook_secret!: string | null;

  @Column({ type: 'text', default: 'standard' })
  webhook_signature!: WebhookSignature;

  @Column({ type: 'text' })
  created_by!: string;

  @Column({ type: 'text', nullable: true })
  created_by_email!: string | null;

  @Column({ type: 'text' })
  updated_by!: string;

  @Column({ type: 'text', nullable: true })
  updated_by_email!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  @RevisionColumn()
  readonly revision?: number;
}
