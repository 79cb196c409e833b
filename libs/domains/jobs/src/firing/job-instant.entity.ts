import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { JobEntity } from '../jobs/job.entity.js';
import type { InstantState, JobInstant } from './job-instant.types.js';

/**
 * An instant of a schedule. The primary key ensures that each instant of a job is recorded, and therefore started, only
 * once.
 */
@Entity('job_instants')
@Index('ix_job_instants_organization_id_due_at', ['organization_id', 'due_at'], { where: 'due_at IS NOT NULL' })
@Index('ix_job_instants_job_id_queued', ['job_id', 'instant'], { where: "state = 'queued'" })
@Index('ix_job_instants_instant_decided', ['instant'], { where: "state NOT IN ('due', 'missed', 'queued')" })
export class JobInstantEntity implements JobInstant {
  @ForeignKey(() => JobEntity, { name: 'fk_job_instants_job_id', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_job_instants' })
  job_id!: string;

  @PrimaryColumn({ type: 'timestamptz', precision: 3, primaryKeyConstraintName: 'pk_job_instants' })
  instant!: Date;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  state!: InstantState;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  due_at!: Date | null;

  @Column({ type: 'integer' })
  attempts!: number;

  @Column({ type: 'text', nullable: true })
  execution_id!: string | null;
}
