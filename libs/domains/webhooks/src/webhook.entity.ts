import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Webhook, WebhookStatus } from './webhook.types.js';

@Entity('webhooks')
@Index('ix_webhooks_organization_id_created_at', ['organization_id', 'created_at'])
export class WebhookEntity implements Webhook {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_webhooks' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  url!: string;

  @Column({ type: 'text', array: true })
  events!: string[];

  @Column({ type: 'text', array: true })
  job_ids!: string[];

  @Column({ type: 'text', array: true })
  agent_ids!: string[];

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text' })
  status!: WebhookStatus;

  @Column({ type: 'text', nullable: true })
  disabled_reason!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  active_since!: Date;

  @Column({ type: 'text' })
  secret!: string;

  @Column({ type: 'text', nullable: true })
  previous_secret!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  previous_secret_expires_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
