import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { JobEntity } from '../jobs/job.entity.js';
import type { JobWebhookMessage } from './job-webhook-message.repository.js';

/** Read and written by SQL only: the class declares the table for the drift check. */
@Entity('job_webhook_messages')
@Index('ix_job_webhook_messages_job_id_received_at', ['job_id', 'received_at'])
export class JobWebhookMessageEntity implements JobWebhookMessage {
  @ForeignKey(() => JobEntity, { name: 'fk_job_webhook_messages_job_id', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_job_webhook_messages' })
  job_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_job_webhook_messages' })
  message_id!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  received_at!: Date;
}
